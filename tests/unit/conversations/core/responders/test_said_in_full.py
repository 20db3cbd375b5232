"""A question that leans on what was said is asked in full; all else reaches the responder as it was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from conversations.core.responders.said_in_full import SaidInFull
from conversations.core.types import Delta, Query, ReplyPart, Stage
from memory.core.types import Reference, Role, Span, Utterance, UtteranceInDialogue, WordSpan

NOW = datetime(2025, 6, 3, 9, tzinfo=UTC)


@dataclass
class SheIsMaya:
    """A `ReferenceReader` that takes each "she" for the Maya of what was said before."""

    name: str = "she"
    threshold: float = 0.5
    asked: list[UtteranceInDialogue] = field(default_factory=list)

    def resolve_many(self, utterances: Sequence[UtteranceInDialogue]) -> list[tuple[Reference, ...]]:
        self.asked += utterances
        return [tuple(self._references(one)) for one in utterances]

    def _references(self, one: UtteranceInDialogue) -> Iterator[Reference]:
        at, start = "\n".join(one.before).find("Maya"), one.text.find("she")
        while at >= 0 and start >= 0:
            yield Reference(Span(start, start + 3), WordSpan("Maya", Span(at, at + 4)), 0.9)
            start = one.text.find("she", start + 1)


@dataclass
class Echo:
    """A `Responder` that says what it was asked."""

    name: str = "echo"

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Delta(query.text)


def asked(text: str, *history: str) -> tuple[list[ReplyPart], SheIsMaya]:
    reader = SheIsMaya()
    turns = tuple(
        Utterance("Ana" if place % 2 == 0 else "assistant", Role.USER if place % 2 == 0 else Role.ASSISTANT, one, NOW)
        for place, one in enumerate(history)
    )
    return list(SaidInFull(Echo(), reader).reply(Query(text, "Ana", NOW, turns))), reader


def test_question_is_asked_in_full_and_says_so():
    parts, reader = asked("Where does she live?", "My sister is Maya.", "Noted.")
    assert parts == [Stage("resolve", "read it as “Where does Maya live?”"), Delta("Where does Maya live?")]
    assert reader.asked[0].of_other == (False, True)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("I met Olga and she sings. Where does she live?", "I met Olga and she sings. Where does Maya live?"),
        ("I think she is tired.", "I think she is tired."),
    ],
)
def test_what_is_stated_stays_as_it_was_said(text, full):
    parts, _ = asked(text, "My sister is Maya.", "Noted.")
    assert parts[-1] == Delta(full)


def test_first_message_leans_on_nothing():
    parts, reader = asked("Where does she live?")
    assert parts == [Delta("Where does she live?")] and not reader.asked


def test_only_the_last_turns_are_read():
    parts, reader = asked("Where does she live?", "My sister is Maya.", *["Noted."] * 7)
    assert parts == [Delta("Where does she live?")] and len(reader.asked[0].before) == 6
