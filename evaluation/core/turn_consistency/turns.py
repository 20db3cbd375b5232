"""Scores a turn: the strategies by name, and the verdicts on the pairs of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evaluation.core.turn_consistency.strongest_sentence import StrongestSentence
from evaluation.core.turn_consistency.types import (
    NotScored,
    Pair,
    ScoredTurn,
    SentenceVectors,
    SpokenTurn,
    Strategy,
    Unscored,
    WhatHolds,
    everything_holds,
)
from evaluation.core.turn_consistency.whole_history import WholeHistory
from memory.core.errors import MemoryCoreError, ModelUnfit, TextTooLong
from memory.core.ports import EntailmentModel, SyntacticParser
from memory.core.types import EntailmentVerdict, Role

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {strategy.name: strategy for strategy in (StrongestSentence(), WholeHistory())}
)

# Sums of three probabilities in single precision, or written down with a few places.
ROUNDING = 0.01
# A contradiction that is more probable than all else is asked for in the other direction too.
LIKELY = 0.5


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
    """Return the turn's verdict, or why it has none."""
    pairs = strategy.pairs_of(turn.reply, turn.history, vectors=vectors, parser=parser, holding=holding)
    if isinstance(pairs, NotScored):
        return pairs
    try:
        return strategy.verdict_of(pairs, verdicts_on(pairs, model))
    except TextTooLong as error:
        return NotScored(Unscored.TOO_LONG, str(error))
    except MemoryCoreError as error:
        return NotScored(Unscored.FAILED, str(error))


def verdicts_on(pairs: Sequence[Pair], model: EntailmentModel) -> list[EntailmentVerdict]:
    """Return the verdict on each pair; two sentences contradict each other only as far as they do in both directions.

    A turn's pairs are one batch, and those that are turned round another: the figures of a quantised model depend on the
    batch, and a turn must get the same ones everywhere. Raises `MemoryCoreError`.
    """
    verdicts = probabilities([(pair.premise, pair.hypothesis) for pair in pairs], model)
    doubted = [
        place
        for place, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True))
        if pair.is_turnable and verdict.contradiction > LIKELY
    ]
    turned = probabilities([(pairs[place].hypothesis, pairs[place].premise) for place in doubted], model)
    agreed = dict(zip(doubted, (verdict.contradiction for verdict in turned), strict=True))
    return [verdict.at_most(contradiction=agreed.get(place, 1.0)) for place, verdict in enumerate(verdicts)]


def probabilities(pairs: Sequence[tuple[str, str]], model: EntailmentModel) -> list[EntailmentVerdict]:
    """Return the model's verdicts. Raises `ModelUnfit` where they are no probabilities."""
    verdicts = model.predict_many(pairs) if pairs else []
    if len(verdicts) != len(pairs) or not all(map(is_distribution, verdicts)):
        raise ModelUnfit("The entailment model gave something that is no probability of each label.")
    return verdicts


def is_distribution(verdict: EntailmentVerdict) -> bool:
    """Return whether a verdict's figures are probabilities; a network that overflows gives none."""
    shares = (verdict.entailment, verdict.neutral, verdict.contradiction)
    return all(0.0 <= share <= 1.0 for share in shares) and abs(sum(shares) - 1.0) <= ROUNDING
