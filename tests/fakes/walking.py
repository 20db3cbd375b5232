"""A walk over a little memory: a real provider of `GraphWalker` without a database."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from memory.core.types import Expansion, GraphPath, PathSearch, Triple
from tests.fakes.memory import FakeMemory


class FakeWalker:
    """Walks the active triples of a `FakeMemory`. `expanded` and `joined` keep what was asked for."""

    def __init__(self, memory: FakeMemory) -> None:
        self._memory = memory
        self.expanded: list[list[int]] = []
        self.joined: list[tuple[int, int]] = []

    def expand_many(self, groups: Sequence[Sequence[int]], *, hops: int = 1, limit: int = 40) -> list[Expansion]:
        self.expanded += [list(group) for group in groups]
        return [self._around(group, hops=hops, limit=limit) for group in groups]

    def find_paths_many(
        self, pairs: Sequence[tuple[int, int]], *, max_edges: int = 4, limit: int = 5
    ) -> list[PathSearch]:
        self.joined += pairs
        return [self._between(one, other, max_edges=max_edges, limit=limit) for one, other in pairs]

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        found = [triple for one in sentence_ids for triple in self._active() if triple.source.id == one]
        return found[:limit]

    def _active(self) -> list[Triple]:
        return [triple for triple in self._memory.triples if triple.superseded_at is None]

    def _around(self, group: Sequence[int], *, hops: int, limit: int) -> Expansion:
        near, found = set(group), dict[int, Triple]()
        for _ in range(hops):
            step = [one for one in reversed(self._active()) if {one.subject.id, one.object_id} & near]
            found |= {one.id: one for one in step}
            near |= {end for one in step for end in (one.subject.id, one.object_id) if end is not None}
        return Expansion(tuple(found.values())[:limit], is_capped=len(found) > limit)

    def _between(self, one: int, other: int, *, max_edges: int, limit: int) -> PathSearch:
        graph = nx.Graph()
        for triple in self._active():
            if triple.object_id is not None:
                graph.add_edge(triple.subject.id, triple.object_id, triple=triple)
        if one not in graph or other not in graph:
            return PathSearch()
        paths = sorted(nx.all_simple_edge_paths(graph, one, other, cutoff=max_edges), key=len)[:limit]
        return PathSearch(tuple(GraphPath(tuple(graph.edges[edge]["triple"] for edge in path)) for path in paths))
