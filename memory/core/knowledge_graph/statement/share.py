"""The assistant's part of a statement: what it said about the world, without what it said about a user."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory.core.types import DialogueRound, Role, Statement

_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|yourselves|the user|the user's)\b", re.IGNORECASE)


def assistant_share(statement: Statement, dialogue_round: DialogueRound) -> Statement:
    """Return the sentences of a statement that rest on the assistant's words and are not about a user.

    What the assistant says about a user comes from memory: reading it as news would let memory confirm itself.
    """
    users = {said.speaker for said in dialogue_round.sentences if said.role is Role.USER}
    kept = [
        (sentence, source)
        for sentence, source in zip(statement.sentences, statement.sources, strict=True)
        if dialogue_round.sentences[source].role is Role.ASSISTANT and not is_about_a_user(sentence, users)
    ]
    return Statement(tuple(sentence for sentence, _ in kept), tuple(source for _, source in kept))


def is_about_a_user(text: str, users: Collection[str]) -> bool:
    """Return whether a text addresses somebody or has the name of a user."""
    return bool(_ADDRESSED.search(text)) or any(_names(text, user) for user in users)


def _names(sentence: str, user: str) -> bool:
    # A capital tells the name from the word in "Will", "Rose" or "May".
    names = [user, *(part for part in user.split() if len(part) > 2)]
    forms = {form for name in names for form in (name, name.capitalize(), name.title())}
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", sentence) for form in forms if form)
