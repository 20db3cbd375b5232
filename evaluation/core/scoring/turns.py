"""Scoring turns: the strategies by name, and one batch of pairs for many turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evaluation.core.scoring import strongest_sentence, whole_history
from evaluation.core.scoring.types import (
    NotScored,
    Pair,
    ScoredTurn,
    SentenceVectors,
    SpokenTurn,
    Strategy,
    Unscored,
)
from memory.core.errors import MemoryCoreError, TextTooLong
from memory.core.ports import EntailmentModel
from memory.core.types import Role

STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        whole_history.NAME: whole_history.WholeHistory(),
        strongest_sentence.NAME: strongest_sentence.StrongestSentence(),
    }
)
DEFAULT_STRATEGY = strongest_sentence.NAME


@dataclass(frozen=True)
class TurnToScore:
    """A turn and what was said before it, in order."""

    reply: SpokenTurn
    history: tuple[SpokenTurn, ...]


def dialogue_replies(dialogue: Sequence[SpokenTurn]) -> list[TurnToScore]:
    """Return the assistant's turns of a dialogue, each with what was said before it, the user's message included."""
    return [
        TurnToScore(turn, tuple(dialogue[:place])) for place, turn in enumerate(dialogue) if turn.role is Role.ASSISTANT
    ]


def score_turns(
    turns: Sequence[TurnToScore], *, strategy: Strategy, model: EntailmentModel, vectors: SentenceVectors
) -> list[ScoredTurn | NotScored]:
    """Return what became of each turn, in order.

    The model is asked once for all of them; where it refuses, once a turn, so that a turn it cannot read fails alone.
    """
    asked = [strategy.pairs_of(turn.reply, turn.history, vectors=vectors) for turn in turns]
    pairs = [pair for found in asked if not isinstance(found, NotScored) for pair in found]
    try:
        verdicts = iter(model.predict_many(texts(pairs)) if pairs else [])
    except MemoryCoreError:
        return [found if isinstance(found, NotScored) else score_alone(found, strategy, model) for found in asked]
    return [
        found if isinstance(found, NotScored) else strategy.verdict_of(found, [next(verdicts) for _ in found])
        for found in asked
    ]


def score_alone(pairs: Sequence[Pair], strategy: Strategy, model: EntailmentModel) -> ScoredTurn | NotScored:
    try:
        return strategy.verdict_of(pairs, model.predict_many(texts(pairs)))
    except TextTooLong as error:
        return NotScored(Unscored.TOO_LONG, str(error))
    except MemoryCoreError as error:
        return NotScored(Unscored.FAILED, str(error))


def texts(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    return [(pair.premise, pair.hypothesis) for pair in pairs]


def scored(outcomes: Sequence[ScoredTurn | NotScored]) -> Iterator[ScoredTurn]:
    yield from (one for one in outcomes if isinstance(one, ScoredTurn))
