"""Dialogues as scoring reads them, written in one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.core.turn_consistency.turns import TurnToScore, replies_in
from evaluation.core.turn_consistency.types import Passage, SpokenTurn
from memory.adapters.segmenter import SyntokSegmenter
from memory.core.types import Role
from tests.fakes.engines import WordEmbedder


def dialogue(*texts: str) -> list[SpokenTurn]:
    """Return turns of Ana and the assistant by turns, Ana first."""
    sentences = SyntokSegmenter().segment_many(texts)
    sides = [("Ana", Role.USER), ("assistant", Role.ASSISTANT)]
    return [
        SpokenTurn(key, *sides[key % 2], text, tuple(found))
        for key, (text, found) in enumerate(zip(texts, sentences, strict=True))
    ]


def last_reply(*texts: str) -> TurnToScore:
    return replies_in(dialogue(*texts))[-1]


class Vectors:
    """Vectors of hashed words, and the words that were asked for."""

    def __init__(self, turn: TurnToScore) -> None:
        self.texts = {one.key: one.text for one in (*turn.history, turn.reply)}
        self.asked: list[str] = []

    def __call__(self, passages: Sequence[Passage]) -> NDArray[np.float32]:
        words = [self.texts[at.turn][at.span.start : at.span.end] for at in passages]
        self.asked += words
        return WordEmbedder().embed(words)
