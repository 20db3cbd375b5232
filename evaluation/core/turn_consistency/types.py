"""The types of this package: turns with their sentences, pairs to judge, and what became of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.core.consistency_metrics import consistency_score
from memory.core.types import EntailmentLabel, EntailmentVerdict, Role, SentenceSpan, Span


@dataclass(frozen=True)
class SpokenTurn:
    """One turn of a dialogue with its sentences in order. `key` tells it from the dialogue's other turns."""

    key: int
    speaker: str
    role: Role
    text: str
    sentences: tuple[SentenceSpan, ...]


@dataclass(frozen=True)
class Passage:
    """Words of a dialogue by their place: a range of the text of one turn."""

    turn: int
    span: Span


@dataclass(frozen=True)
class Pair:
    """What the model is asked. The places are None where the words are a whole text rather than a sentence.

    `may_contradict` is false where a verdict of contradiction would say nothing: the premise asserts nothing, or speaks of
    something else.
    """

    premise: str
    hypothesis: str
    premise_at: Passage | None = None
    hypothesis_at: Passage | None = None
    may_contradict: bool = True


@dataclass(frozen=True)
class ScoredTurn:
    """The verdict on a turn, and the pair of sentences that decided it where the strategy takes sentences."""

    verdict: EntailmentVerdict
    premise_at: Passage | None = None
    hypothesis_at: Passage | None = None

    @property
    def label(self) -> EntailmentLabel:
        return self.verdict.label

    @property
    def consistency(self) -> float:
        return consistency_score(self.verdict)


class Unscored(StrEnum):
    """Why a turn has no score."""

    NO_HISTORY = "no_history"
    NO_SENTENCE = "no_sentence"
    NO_CLAIM = "no_claim"
    TOO_LONG = "too_long"
    NO_MODEL = "no_model"
    FAILED = "failed"


@dataclass(frozen=True)
class NotScored:
    """A turn without a score. `why` is a sentence for a person, without any words of the dialogue."""

    reason: Unscored
    why: str


class SentenceVectors(Protocol):
    def __call__(self, passages: Sequence[Passage]) -> NDArray[np.float32]:
        """Return the unit vectors of sentences of the dialogue, shape (len(passages), dimension)."""


class Strategy(Protocol):
    """A reading of "against the dialogue history": which pairs a turn is judged by, and how their verdicts make one."""

    name: str

    def pairs_of(
        self, reply: SpokenTurn, history: Sequence[SpokenTurn], *, vectors: SentenceVectors
    ) -> tuple[Pair, ...] | NotScored:
        """Return what to ask the model about a turn, at least one pair, or why there is nothing to ask."""

    def verdict_of(self, pairs: Sequence[Pair], verdicts: Sequence[EntailmentVerdict]) -> ScoredTurn:
        """Return the turn's verdict from those on its pairs."""
