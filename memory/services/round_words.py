"""Gives the core the words of a round: its sentences, and what was said before them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property
from typing import TypeVar, cast

from django.db import transaction
from django.db.models import Prefetch
from django.utils import timezone

from memory.core.errors import LanguageModelError
from memory.core.sentence_graph.neighbours import Glance
from memory.core.types import Role, Statement, Utterance
from memory.models import Round, SentenceRecord, Session, Space, Turn

# A role that somebody plays lasts over many turns; of these only the last few are parsed.
CONTEXT_TURNS = 20
# What writes a stage's result: in a transaction that holds the space's lock, with the space as it is under it.
Write = Callable[[Space], None]
FoundT = TypeVar("FoundT")


class RoundReading:
    """A round with what its stages have read of it, each part read once; `space` is the state that the indexes need.

    It is valid while the round is in maintenance and no words are removed from the space (`index_revision`).
    """

    def __init__(self, round: Round, space: Space) -> None:
        self.round = round
        self.space = space
        self.shortfalls: list[str] = []
        self.glance: Future[Glance] | None = None
        self._found: dict[Callable[[RoundReading], object], object] = {}

    def as_of(self, space: Space) -> RoundReading:
        """Return the reading for the next stage: this one, or a new one if words were removed from the space meanwhile."""
        if space.index_revision != self.space.index_revision:
            return RoundReading(self.round, space)
        self.space = space
        self.shortfalls.clear()
        return self

    def read(self) -> None:
        """Read what every stage needs, in the caller's transaction."""
        _ = self.session, self.turns, self.turns_before
        if self.round.maintenance_stage:
            _ = self.sentences

    def fell_short(self, what: str, error: LanguageModelError | str) -> None:
        """Note that a model failed in a role, and what goes on without it. The stage is kept and told as read in part."""
        self.shortfalls.append(f"{what} {error}")

    def once(self, look: Callable[[RoundReading], FoundT]) -> FoundT:
        """Return what a function reads of the round. It is called once, in one transaction, which may be the caller's."""
        if look not in self._found:
            with transaction.atomic(savepoint=False):
                self._found[look] = look(self)
        return cast("FoundT", self._found[look])

    @cached_property
    def session(self) -> Session:
        return Session.objects.get(pk=self.round.session_id)

    @cached_property
    def turns(self) -> list[Turn]:
        return list(Turn.objects.filter(round=self.round).defer("search").order_by("index"))

    @cached_property
    def sentences(self) -> list[SentenceRecord]:
        return round_sentences(self.round)

    @cached_property
    def said(self) -> list[Utterance]:
        """The sentences as the core's `Utterance`s."""
        return utterances(self.sentences)

    @cached_property
    def statement(self) -> Statement:
        """What the round states, once the stage that reads it was committed; nothing where its sources are not known."""
        sentences, sources = self.round.statement.splitlines(), self.round.statement_sources
        return Statement(tuple(sentences), tuple(sources)) if len(sentences) == len(sources) else Statement()

    @cached_property
    def turns_before(self) -> list[Turn]:
        """The turns before the round in its session, up to a limit, in order."""
        first = self.turns[0].index if self.turns else 0
        before = Turn.objects.filter(session_id=self.round.session_id, index__lt=first).defer("search")
        return list(reversed(before.order_by("-index")[:CONTEXT_TURNS]))

    @property
    def turn_before(self) -> Turn | None:
        return self.turns_before[-1] if self.turns_before else None

    @cached_property
    def context(self) -> list[Utterance]:
        """The turns before the round as the core's `Utterance`s."""
        return [said_in(turn) for turn in self.turns_before]


def said_in(turn: Turn) -> Utterance:
    return Utterance(turn.speaker, Role(turn.role), turn.text, timezone.localtime(turn.said_at))


def write_nothing(_: Space) -> None:
    """Write nothing: a stage had nothing to do."""


def space_state(space_id: int) -> Space:
    """Return the fields of a space that the indexes need, read now."""
    return Space.objects.only("embedder", "index_revision", "linked_until", "is_indexed").get(pk=space_id)


def round_sentences(round: Round) -> list[SentenceRecord]:
    """Return the round's sentences in order.

    Sentences of one turn share one `Turn` object, so that a long text is read once.
    """
    return list(
        SentenceRecord.objects.filter(turn__round=round)
        .prefetch_related(Prefetch("turn", Turn.objects.defer("search")))
        .defer("embedding", "search")
        .order_by("turn__index", "index")
    )


def utterances(sentences: Sequence[SentenceRecord]) -> list[Utterance]:
    """Return a round's sentences as the core's `Utterance`s, in order."""
    ends: dict[int, int] = {}
    told = []
    for sentence in sentences:
        turn = sentence.turn
        between = turn.text[ends.get(turn.pk, sentence.start) : sentence.start]
        ends[turn.pk] = sentence.end
        told.append(replace(said_in(turn), text=sentence.text, breaks=between.count("\n")))
    return told
