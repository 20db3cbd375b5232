"""Retrieves chunks and digests by their own embeddings or by BM25: SGMem's chunk-based RAG baselines (section 4.3)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.core.ports import DialogueIndex
from memory.core.sentence_graph.config import EPSILON, Recipe
from memory.core.types import Retrieval, RetrievalQuery, RetrievalTrace, ScoredChunk, ScoredUnit, Unit

NOTHING_NEAR = "Nothing was said yet."
NO_WORD_SHARED = "Nothing that was said shares a word with the question."


class ChunkRetriever:
    """RAG over turns, rounds or sessions, and over digests: the top K of each kind by cosine (section 4.3)."""

    def __init__(self, name: str, index: DialogueIndex, *, recipe: Recipe) -> None:
        self.name = name
        self._index = index
        self._recipe = recipe

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        vector = self._index.embed([query.text])[0]
        chunk = self._recipe.chunk
        found = nearest_shifted(self._index, chunk, vector, limit=limit) if chunk else ()
        digests = nearest_digests(self._index, self._recipe.digests, vector, limit=limit)
        return retrieval_of(found, digests, reason=NOTHING_NEAR)


class LexicalRetriever:
    """Turns or sessions by BM25."""

    def __init__(self, name: str, index: DialogueIndex, *, chunk: Unit) -> None:
        self.name = name
        self._index = index
        self._chunk = chunk

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        return retrieval_of(self._index.matching(self._chunk, query.text, limit=limit), reason=NO_WORD_SHARED)


def nearest_shifted(
    index: DialogueIndex, unit: Unit, vector: NDArray[np.float32], *, limit: int
) -> tuple[ScoredUnit, ...]:
    """Return the units nearest to a question by sim(q, u) = cos(e_q, e_u) + epsilon (section 3.4)."""
    found = index.nearest(unit, vector, limit=limit) if limit else []
    return tuple(ScoredUnit(one.unit, one.id, one.score + EPSILON) for one in found)


def nearest_digests(
    index: DialogueIndex, kinds: Sequence[Unit], vector: NDArray[np.float32], *, limit: int
) -> tuple[ScoredUnit, ...]:
    """Return the top-K digests of each kind, kind by kind: M*, F* and I* (section 3.4)."""
    return tuple(one for kind in kinds for one in nearest_shifted(index, kind, vector, limit=limit))


def retrieval_of(found: Sequence[ScoredUnit], digests: tuple[ScoredUnit, ...] = (), *, reason: str) -> Retrieval:
    """Return ranked chunks of one kind, and digests, as a `Retrieval`; `reason` is used where both are empty."""
    chunks = {found[0].unit: tuple(ScoredChunk(one.unit, one.id, one.score) for one in found)} if found else {}
    rankings: dict[str, tuple[ScoredUnit, ...]] = {found[0].unit: tuple(found)} if found else {}
    for digest in digests:
        rankings[digest.unit] = (*rankings.get(digest.unit, ()), digest)
    return Retrieval(
        chunks=chunks,
        digests=digests,
        trace=RetrievalTrace(rankings=rankings),
        reason="" if found or digests else reason,
    )
