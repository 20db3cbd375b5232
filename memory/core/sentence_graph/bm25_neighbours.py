"""Edges by words instead of meaning: the sentences that BM25 finds with a sentence's own words (SGMem, section 4.4).

Departure from the paper: it stores such edges in its graph. A score of BM25 changes with every sentence of the collection
(its idf and its mean length), so that no stored edge would stay exact. These are derived when they are walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.core.ports import DialogueIndex
from memory.core.types import Neighbour, Unit


class SentenceEdges(Protocol):
    """The edges of a sentence graph. A `DialogueIndex` has those by meaning."""

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        """Return each sentence's `k` nearest others, nearest first."""


class Bm25Edges:
    """Implements `SentenceEdges`: neighbours are found by their words, and `similarity` is their score by BM25.

    A sentence that shares its words with fewer than `k` others has fewer neighbours.
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
