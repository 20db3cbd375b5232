"""Scores a turn: the strategies by name, one batch of pairs a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evaluation.core.turn_consistency.strongest_sentence import StrongestSentence
from evaluation.core.turn_consistency.types import (
    NotScored,
    ScoredTurn,
    SentenceVectors,
    SpokenTurn,
    Strategy,
    Unscored,
    WhatHolds,
    everything_holds,
)
from evaluation.core.turn_consistency.whole_history import WholeHistory
from memory.core.errors import MemoryCoreError, TextTooLong
from memory.core.ports import EntailmentModel, SyntacticParser
from memory.core.types import EntailmentVerdict, Role

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {strategy.name: strategy for strategy in (StrongestSentence(), WholeHistory())}
)

# Sums of three probabilities in single precision, or written down with a few places.
ROUNDING = 0.01


@dataclass(frozen=True)
class TurnToScore:
    """A turn and the turns before it, in order."""

    reply: SpokenTurn
    history: tuple[SpokenTurn, ...]


def replies_in(dialogue: Sequence[SpokenTurn]) -> list[TurnToScore]:
    """Return the assistant's turns of a dialogue, each with what was said before it, the user's message included."""
    return [
        TurnToScore(turn, tuple(dialogue[:place])) for place, turn in enumerate(dialogue) if turn.role is Role.ASSISTANT
    ]


def score_turn(
    turn: TurnToScore,
    *,
    strategy: Strategy,
    model: EntailmentModel,
    vectors: SentenceVectors,
    parser: SyntacticParser,
    holding: WhatHolds = everything_holds,
) -> ScoredTurn | NotScored:
    """Return the turn's verdict, or why it has none.

    One turn is one batch: the figures of a quantised model depend on the batch, and a turn must get the same ones everywhere.
    """
    pairs = strategy.pairs_of(turn.reply, turn.history, vectors=vectors, parser=parser, holding=holding)
    if isinstance(pairs, NotScored):
        return pairs
    try:
        verdicts = model.predict_many([(pair.premise, pair.hypothesis) for pair in pairs])
    except TextTooLong as error:
        return NotScored(Unscored.TOO_LONG, str(error))
    except MemoryCoreError as error:
        return NotScored(Unscored.FAILED, str(error))
    if len(verdicts) != len(pairs) or not all(map(is_distribution, verdicts)):
        return NotScored(Unscored.FAILED, "The entailment model gave something that is no probability of each label.")
    return strategy.verdict_of(pairs, verdicts)


def is_distribution(verdict: EntailmentVerdict) -> bool:
    """Return whether a verdict's figures are probabilities; a network that overflows gives none."""
    shares = (verdict.entailment, verdict.neutral, verdict.contradiction)
    return all(0.0 <= share <= 1.0 for share in shares) and abs(sum(shares) - 1.0) <= ROUNDING
