"""Types of this package: turns with their sentences, pairs to judge, scored and unscored turns.

Consistency Score and Dialogue Entailment Rate (D-SMART, "NLI-based Consistency Metrics", Equations 4 and 5).

Departures from the paper:
- T of Equation 5 counts the turns that have a label. The paper scores every turn; a greeting, or a turn that no model
  could read, has no label, and counting it as "not entailed" would measure manners (docs/adr/0015). How many turns were
  scored is returned beside every rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.core.ports import SyntacticParser
from memory.core.types import EntailmentLabel, EntailmentVerdict, ParsedSentence, Role, SentenceSpan, Span


@dataclass(frozen=True)
class EntailmentRate:
    """DER over `scored` turns; None where none was scored."""

    rate: float | None
    scored: int


def consistency_score(verdict: EntailmentVerdict) -> float:
    """Return CS_i in [0, 1] (Equation 4): 1 where the turn is entailed, 0 where it contradicts what was said before."""
    return ((verdict.entailment - verdict.contradiction) + 1) / 2


def mean_consistency(verdicts: Sequence[EntailmentVerdict]) -> float | None:
    """Return the mean CS of the scored turns of a dialogue or of many; None where there is none."""
    return sum(map(consistency_score, verdicts)) / len(verdicts) if verdicts else None


def entailment_rate(labels: Iterable[EntailmentLabel | None]) -> EntailmentRate:
    """Return DER (Equation 5) of turns by their labels; a turn that was not scored has None."""
    scored = [label for label in labels if label is not None]
    return rate_of(sum(label is EntailmentLabel.ENTAILMENT for label in scored), len(scored))


def running_entailment_rates(
    labels: Iterable[EntailmentLabel | None], *, entailed: int = 0, scored: int = 0
) -> list[EntailmentRate]:
    """Return DER after each turn. `entailed` and `scored` count the turns before the first of these."""
    rates = []
    for label in labels:
        scored += label is not None
        entailed += label is EntailmentLabel.ENTAILMENT
        rates.append(rate_of(entailed, scored))
    return rates


def rate_of(entailed: int, scored: int) -> EntailmentRate:
    return EntailmentRate(entailed / scored if scored else None, scored)


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


LONGEST_REPLY_WORDS = 5_000


def unscored(reply: SpokenTurn, history: Sequence[SpokenTurn]) -> NotScored | None:
    """Return why a turn cannot be scored whatever the strategy, or None where it can."""
    if not any(sentence.text.strip() for sentence in reply.sentences):
        return NotScored(Unscored.NO_SENTENCE, "There is no sentence in this turn.")
    if not any(turn.text.strip() for turn in history):
        return NotScored(
            Unscored.NO_HISTORY, "Nothing was said before this turn that it could follow from or contradict."
        )
    words = len(reply.text.split())
    if words > LONGEST_REPLY_WORDS:
        return NotScored(
            Unscored.TOO_LONG, f"This turn has {words:,} words. At most {LONGEST_REPLY_WORDS:,} can be scored."
        )
    return None


_PAST = "VBD"
_PRESENT = frozenset({"VBP", "VBZ"})
_VERBAL = ("aux", "cop")
_FINITE = frozenset({_PAST, "MD", *_PRESENT})


def tells_what_was(sentence: ParsedSentence) -> bool:
    """Return whether all finite verbs of a sentence are in the past tense, and there is one."""
    return {token.tag for token in sentence.tokens} & _FINITE == {_PAST}


def tells_what_is(sentence: ParsedSentence) -> bool:
    """Return whether the main clause of a sentence is in the present tense."""
    roots = {token.index for token in sentence.tokens if token.head == token.index}
    return any(
        token.tag in _PRESENT and (token.index in roots or token.head in roots and token.dep.startswith(_VERBAL))
        for token in sentence.tokens
    )
