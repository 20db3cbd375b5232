"""RAPTOR (Sarthi et al., 2024: Recursive abstractive processing for tree-organized retrieval, section 3).

The turns are the leaves. Those that are alike form soft clusters, each of which is summarised; the summaries are clustered
again, until one level is a single cluster. Retrieval sees all nodes at once (the collapsed tree).

Departures from the paper:
- Clusters are spherical means of about `members`, begun from evenly spaced nodes and so the same each time, not Gaussian
  mixtures in a UMAP projection; their number is not chosen by BIC. A node belongs to its nearest cluster and to the next one
  where that is nearly as near (`margin`).
- A summary reads the nodes nearest to the middle of its cluster, at most `read`, where the paper clusters again.
- The paper's tree is built once. Here it is built by the first question after an addition, anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.core.backbones.mem_tree import leaf_of, unit_of
from memory.core.backbones.units import Floats, Gist, Summariser, UnitStore, best_of
from memory.core.ports import Embedder
from memory.core.types import MemoryUnit, RetrievalQuery, Utterance

AT_ONCE = 4096


@dataclass(frozen=True)
class RaptorConfig:
    """Our choices: nodes of a cluster, how many of them a summary reads, the margin of a second one, rounds, levels."""

    members: int = 10
    read: int = 15
    margin: float = 0.02
    rounds: int = 5
    levels: int = 5


class Raptor:
    """Implements `Backbone` by the turns and a tree of summaries above them."""

    name = "raptor"

    def __init__(self, *, summarise: Summariser, embedder: Embedder, config: RaptorConfig = RaptorConfig()) -> None:
        self._summarise = summarise
        self._embedder = embedder
        self._config = config
        self._gists: list[Gist] = []
        self._leaves = UnitStore(embedder)
        self._summaries = UnitStore(embedder)
        self._built_of = 0

    def add(self, turns: Sequence[Utterance]) -> None:
        gists = [leaf_of(turn) for turn in turns]
        self._leaves.write([unit_of(number, gist) for number, gist in enumerate(gists, start=len(self._gists))])
        self._gists += gists

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self._build()
        vector = self._leaves.embed([query.text])[0]
        stores = (self._leaves, self._summaries)
        return best_of((unit for store in stores for unit in store.nearest(vector, limit=limit)), limit=limit)

    @property
    def size(self) -> int:
        self._build()
        return len(self._leaves) + len(self._summaries)

    def _build(self) -> None:
        if self._built_of == len(self._leaves):
            return
        self._summaries = UnitStore(self._embedder)
        level, vectors = self._gists, self._leaves.vectors
        for _ in range(self._config.levels if len(level) > 1 else 0):
            clusters = soft_clusters(vectors, config=self._config)
            gists = self._summarise.summarise_many(
                [[said for row in cluster for said in level[row].rests_on] for cluster in clusters]
            )
            first = len(self._gists) + len(self._summaries)
            self._summaries.write([unit_of(number, gist) for number, gist in enumerate(gists, start=first)])
            level, vectors = gists, self._summaries.vectors[-len(gists) :]
            if len(clusters) == 1:
                break
        self._built_of = len(self._leaves)


def soft_clusters(vectors: Floats, *, config: RaptorConfig) -> list[list[int]]:
    """Return clusters of rows, each its rows nearest to its middle in the order of rows; a row may be in two."""
    count = -(-len(vectors) // config.members)
    centres = vectors[np.linspace(0, len(vectors) - 1, count).astype(int)]
    for _ in range(config.rounds):
        nearest = np.concatenate([part.argmax(axis=1) for part in cosines_by_part(vectors, centres)])
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, vectors)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centres).astype(np.float32)
    members: list[list[tuple[float, int]]] = [[] for _ in range(count)]
    start = 0
    for part in cosines_by_part(vectors, centres):
        first = part.argmax(axis=1)
        reach = part[np.arange(len(part)), first] - config.margin
        for row, cluster in np.argwhere(part >= reach[:, None]).tolist():
            members[cluster].append((-float(part[row, cluster]), start + row))
        start += len(part)
    return [sorted(row for _, row in sorted(rows)[: config.read]) for rows in members if rows]


def cosines_by_part(vectors: Floats, centres: Floats) -> list[Floats]:
    return [vectors[start : start + AT_ONCE] @ centres.T for start in range(0, len(vectors), AT_ONCE)]
