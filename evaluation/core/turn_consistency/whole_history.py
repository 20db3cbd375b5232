"""The whole history as one premise, the whole reply as one hypothesis: the paper's reading.

D-SMART, "NLI-based Consistency Metrics": the probabilities of a turn "against the dialogue history". What does not fit the
model's window is cut from the left, by the model's adapter, so that the latest words stay.

Departures from the paper:
- What other speakers said is put in the words of the reply's speaker first (`grammatical_person`); the paper does not say how
  speakers are told apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.turn_consistency.types import (
    NotScored,
    Pair,
    ScoredTurn,
    SentenceVectors,
    SpokenTurn,
    WhatHolds,
    everything_holds,
    unscored,
)
from memory.core.english.grammatical_person import as_the_other_says
from memory.core.ports import SyntacticParser
from memory.core.types import EntailmentVerdict

NAME = "whole_history"
# No model's window holds more; joining the words of a long dialogue for every turn would cost its square.
HISTORY_CHARACTERS = 40_000


class WholeHistory:
    """Implements `Strategy`."""

    name = NAME

    def pairs_of(
        self,
        reply: SpokenTurn,
        history: Sequence[SpokenTurn],
        *,
        vectors: SentenceVectors,
        parser: SyntacticParser,
        holding: WhatHolds = everything_holds,
    ) -> tuple[Pair, ...] | NotScored:
        """Return the one pair of the turn. Neither `vectors` nor `parser` nor `holding` is asked."""
        refused = unscored(reply, history)
        return refused if refused is not None else (Pair(premise_text(reply, history), one_line(reply.text)),)

    def verdict_of(self, pairs: Sequence[Pair], verdicts: Sequence[EntailmentVerdict]) -> ScoredTurn:
        [verdict] = verdicts
        return ScoredTurn(verdict)


def premise_text(reply: SpokenTurn, history: Sequence[SpokenTurn]) -> str:
    """Return what was said before a reply in the words of its speaker, latest last."""
    said: list[str] = []
    length = 0
    for turn in reversed(history):
        text = one_line(turn.text)
        said.append(text if turn.speaker == reply.speaker else as_the_other_says(text))
        length += len(text)
        if length > HISTORY_CHARACTERS:
            break
    return " ".join(reversed(said))


def one_line(text: str) -> str:
    return " ".join(text.split())
