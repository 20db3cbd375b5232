"""A memory that is changed by hand: what it believes, and every row of it that an undo has to bring back."""

from __future__ import annotations

import pytest

from memory import bootstrap
from memory.core.types import Fact, GraphFragment, Node, Role, Span
from memory.models import (
    AliasRecord,
    ConflictRecord,
    EditRecord,
    EntityRecord,
    PredicateRecord,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)
from memory.services import space_maintain
from tests.fakes.engines import engine_of
from tests.integration.memory.dialogues import new_session, say

TABLES = (
    Session, Round, Turn, SentenceRecord, EntityRecord, AliasRecord, TripleRecord, ConflictRecord, PredicateRecord,
)  # fmt: skip
UNSEEN = {"search", "embedding"}


def learn(space: Space, *texts: str, speaker: str = "Ana") -> list[Round]:
    rounds = say(new_session(space), *texts, speaker=speaker)
    space_maintain(space_id=space.pk)
    return rounds


def believed(space: Space) -> set[tuple[str, str, str]]:
    """Return what is active: the label of the subject, the predicate, the value, "not" before a denied one."""
    rows = TripleRecord.objects.filter(space=space, superseded_at=None).select_related("subject", "object")
    return {
        (
            row.subject.label,
            row.predicate,
            ("not " if row.polarity == "negative" else "") + (row.object.label if row.object else row.value),
        )
        for row in rows
    }


def rows_of(space: Space) -> dict[str, list[tuple[object, ...]]]:
    """Return every value of every row of the space, but for the audit."""
    return {
        model.__name__: list(
            model.objects.filter(space=space)
            .order_by("pk")
            .values_list(*[field.attname for field in model._meta.concrete_fields if field.name not in UNSEEN])
        )
        for model in TABLES
    }


def last_edit(space: Space) -> EditRecord:
    return EditRecord.objects.filter(space=space).latest("pk")


class SpokenFacts:
    """Reads "subject | predicate | object" as one fact; "subject = alias | ..." gives the subject another name."""

    def extract_many(self, sentences, *, context=()):
        return [
            GraphFragment() if sentence.role is Role.ASSISTANT else self.fragment(sentence) for sentence in sentences
        ]

    def fragment(self, sentence) -> GraphFragment:
        text = sentence.text.removesuffix(".")
        if text.count("|") != 2:
            return GraphFragment()
        subject, predicate, value = (part.strip() for part in text.split("|"))
        return GraphFragment(
            (Fact(self.node(subject, sentence.speaker), predicate, self.node(value, ""), Span(0, len(text))),)
        )

    def node(self, words: str, speaker: str) -> Node:
        label, *aliases = (part.strip() for part in words.split("="))
        label, _, kind = label.partition(":")
        return Node(label, kind=kind, aliases=tuple(aliases), is_speaker=label == speaker, lemma=label.lower(), pos="X")


def facts_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine of the test read facts as they are written here."""
    monkeypatch.setattr(bootstrap, "engine", lambda name="": engine_of(SpokenFacts(), name=name))
