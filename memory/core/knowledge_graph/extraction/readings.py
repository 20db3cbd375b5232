"""The words that the parser is given for an utterance: plain, and with the relatives of the speaker by their names alone.

"My sister Ilse works for Veltro" is parsed as "Ilse works for Veltro": whose sister Ilse is the words say without a parse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.english.spelling import PlainText, plain_words, rewritten
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import RELATIONS
from memory.core.types import Fact, Span, Utterance

_NAME = r"(?:(?:dr|mr|mrs|ms|prof)\. )?(?!I['’])(?-i:[A-ZÀ-Ý])[\w'’-]*\w"
_NOUN = "|".join(sorted(RELATIONS, key=len, reverse=True))
_RELATIVE = re.compile(
    rf"\b(?:(?:my|our) (?P<telling>[a-z]+ )?|(?=(?:aunt|auntie|uncle|grandma|grandpa) ))"
    rf"(?P<noun>{_NOUN})"
    rf"(?P<comma>,)? (?P<name>{_NAME}(?: {_NAME})*)(?<!['’]s)(?(comma)(?=[,.!?;]|$)|(?![\w'’]))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Relative:
    """Somebody of the speaker's by name: "my older sister Maya" has the noun "sister" and tells "older"."""

    noun: str
    telling: str
    name: str
    span: Span


@dataclass(frozen=True)
class Reading:
    """What to parse, and the speaker's relatives whom it calls by their names."""

    words: PlainText
    relatives: tuple[Relative, ...] = ()

    def put(self, facts: Sequence[Fact]) -> list[Fact]:
        """Return the facts with the spans of the original."""
        return [replace(fact, span=self.words.original(fact.span)) for fact in facts]


def reading_of(utterance: Utterance) -> Reading:
    """Return the plain words of an utterance, and the relatives that it names."""
    plain = plain_words(utterance.text)
    relatives = tuple(
        Relative(
            found["noun"].lower(),
            (found["telling"] or "").strip().lower(),
            found["name"],
            plain.original(Span(*found.span())),
        )
        for found in _RELATIVE.finditer(plain.text)
        if relation_of(found["noun"])
    )
    return Reading(rewritten(plain, [(_RELATIVE, "{name}")]), relatives)
