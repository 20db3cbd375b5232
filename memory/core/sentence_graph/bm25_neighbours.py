"""Edges by words: a sentence's neighbours are those that BM25 ranks first for its words (SGMem, section 4.4).

Departure from the paper: it stores such edges in its graph. A BM25 score changes with every sentence that is added (by idf
and mean length), so no stored edge would stay exact. These edges are computed when they are walked.
"""

from collections.abc import Sequence
from typing import Protocol

from memory.core.ports import DialogueIndex
from memory.core.types import Neighbour, Unit


class SentenceEdges(Protocol):
    """The edges of a sentence graph. A `DialogueIndex` has the edges by embedding."""

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        """Return each sentence's `k` nearest others, nearest first."""


class Bm25Edges:
    """Implements `SentenceEdges` by BM25; `similarity` is the BM25 score.

    A sentence that shares words with fewer than `k` others has fewer neighbours.
    """

    def __init__(self, index: DialogueIndex) -> None:
        self._index = index

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        edges = {}
        for sentence in self._index.passages_of(Unit.SENTENCE, sentence_ids):
            found = self._index.matching(Unit.SENTENCE, sentence.text, limit=k + 1)
            others = [Neighbour(id=one.id, similarity=one.score) for one in found if one.id != sentence.id]
            edges[sentence.id] = others[:k]
        return edges
