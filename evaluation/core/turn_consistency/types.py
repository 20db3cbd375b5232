"""Types of this package: turns with their sentences, pairs to judge, scored and unscored turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.core.consistency_metrics import consistency_score
from memory.core.ports import SyntacticParser
from memory.core.types import EntailmentLabel, EntailmentVerdict, Role, SentenceSpan, Span


@dataclass(frozen=True)
class SpokenTurn:
    """One turn of a dialogue with its sentences in order. `key` identifies it within the dialogue."""

    key: int
    speaker: str
    role: Role
    text: str
    sentences: tuple[SentenceSpan, ...]


@dataclass(frozen=True)
class Passage:
    """A range of characters in the text of one turn."""

    turn: int
    span: Span


@dataclass(frozen=True)
class Pair:
    """A premise and a hypothesis for the model. The places are None where a text is not one sentence.

    `may_contradict` is false where a contradiction would mean nothing: the premise asserts nothing, does not hold any more,
    or has another topic or time. `may_support` is false where it does not hold any more and the hypothesis tells of the
    present.
    """

    premise: str
    hypothesis: str
    premise_at: Passage | None = None
    hypothesis_at: Passage | None = None
    may_contradict: bool = True
    may_support: bool = True

    @property
    def may_tell(self) -> bool:
        """False of a premise that is over, which says nothing of what is."""
        return self.may_contradict or self.may_support

    @property
    def is_turnable(self) -> bool:
        """True of two sentences that may contradict each other: then each contradicts the other."""
        return self.premise_at is not None and self.may_contradict


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
    WISH = "wish"
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


class WhatHolds(Protocol):
    def __call__(self, passages: Sequence[Passage]) -> Mapping[Passage, str]:
        """Return what still holds of each of the history's sentences of which something does not any more; "" for nothing."""


def everything_holds(passages: Sequence[Passage]) -> Mapping[Passage, str]:
    """`WhatHolds` of a dialogue without a graph."""
    return {}


class Strategy(Protocol):
    """A reading of "against the dialogue history": the pairs to judge for a turn, and how their verdicts become one."""

    name: str

    def pairs_of(
        self,
        reply: SpokenTurn,
        history: Sequence[SpokenTurn],
        *,
        vectors: SentenceVectors,
        parser: SyntacticParser,
        holding: WhatHolds = everything_holds,
    ) -> tuple[Pair, ...] | NotScored:
        """Return the pairs to judge for a turn, at least one, or why there are none."""

    def verdict_of(self, pairs: Sequence[Pair], verdicts: Sequence[EntailmentVerdict]) -> ScoredTurn:
        """Return the turn's verdict from the verdicts on its pairs."""
