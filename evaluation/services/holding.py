"""Tells what still holds of the sentences that a stored reply is held against, by the graph of its space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q

from conversations.models import ReplyTriple
from evaluation.core.turn_consistency.types import Passage
from memory.core.knowledge_graph.stems import content_stems
from memory.core.knowledge_graph.verbalisation import assertion_of_triple, sentence
from memory.core.types import Modality, Role
from memory.models import TripleRecord, Turn
from memory.stores.rows import TRIPLE_COLUMNS, TRIPLE_RELATIONS, triple_of


@dataclass(frozen=True)
class Taught:
    """A triple, where its sentence begins in its turn, and whether it did not hold any more."""

    row: TripleRecord
    start: int
    is_over: bool

    @property
    def is_said(self) -> bool:
        return not self.is_over and self.row.modality == Modality.ASSERTED


@dataclass(frozen=True)
class StoredHolding:
    """`WhatHolds` as of a reply: what was superseded, ended or taken back by then does not hold.

    It takes three queries whatever the space and the session hold, for the rounds of the passages alone: their turns, what
    they taught, and what replies of theirs rested on. `turn` has its round loaded.
    """

    turn: Turn
    asker: str

    def __call__(self, passages: Sequence[Passage]) -> Mapping[Passage, str]:
        """Return what holds of a person's sentence in other words; of a reply's that names what is over, nothing."""
        with transaction.atomic(savepoint=False):
            turns = {turn.pk: turn for turn in Turn.objects.filter(pk__in={at.turn for at in passages}).defer("search")}
            rounds = {turn.round_id for turn in turns.values()}
            taught = self._taught(rounds)
            is_over, replies = self._is_over("triple__"), {"reply__round__in": rounds, "reply__is_current": True}
            rested = list(ReplyTriple.objects.filter(is_over, **replies).values_list("reply__round", "triple__value"))
        named: dict[int, set[str]] = {round_id: set() for round_id in rounds}
        for one in taught:
            if one.is_over:
                named[one.row.round_id].add(one.row.value)
        for round_id, value in rested:
            named[round_id].add(value)
        left: dict[Passage, str] = {}
        for at in passages:
            turn = turns[at.turn]
            if turn.role == Role.USER:
                told = [one for one in taught if (one.row.sentence.turn_id, one.start) == (at.turn, at.span.start)]
                if any(one.is_over for one in told):
                    left[at] = " ".join(self._words(one.row) for one in told if one.is_said)
            elif any(names(turn.text[at.span.start : at.span.end], value) for value in named[turn.round_id]):
                left[at] = ""
        return left

    def _taught(self, rounds: set[int]) -> list[Taught]:
        is_over = ExpressionWrapper(self._is_over(), output_field=BooleanField())
        rows = TripleRecord.objects.filter(round__in=rounds).select_related(*TRIPLE_RELATIONS).only(*TRIPLE_COLUMNS)
        placed: Iterable[Any] = rows.annotate(is_over=is_over, start=F("sentence__start")).order_by("pk")
        return [Taught(row, row.start, bool(row.is_over)) for row in placed]

    def _is_over(self, path: str = "") -> Q:
        """Return the condition on triples that did not hold any more when the reply was given.

        What the message itself ended is over for the reply to it, though it may be stored after the reply.
        """
        said_at, round = self.turn.said_at, self.turn.round
        by_then = {"superseded_at__lte": said_at}
        by_the_message = {"superseded_in__session": round.session_id, "superseded_in__index__lte": round.index}
        ended = {"valid_to__lte": said_at}
        either = [Q(**{path + name: value for name, value in one.items()}) for one in (by_then, by_the_message, ended)]
        return either[0] | either[1] | either[2]

    def _words(self, row: TripleRecord) -> str:
        # It may have been superseded since.
        held = replace(triple_of(row), superseded_at=None)
        return sentence(assertion_of_triple(held, at=self.turn.said_at), asker=self.asker)


def names(text: str, value: str) -> bool:
    """Return whether a text has all words of a value."""
    words = content_stems(value)
    return bool(words) and words <= content_stems(text)
