"""The state of a breadth-first walk over the graph: what it has reached and which nodes come next.

Callers query the database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

SHARE = 4
LEAST_SHARE = 5
NODE_MOST = 100
FRONTIER_MOST = 200
STEP_MOST = 1000


class Edge(NamedTuple):
    """A triple as an edge. `object` is None for a literal, where a walk ends; `is_weak` marks a denied or past triple."""

    id: int
    subject: int
    object: int | None
    is_weak: bool

    def other(self, node: int) -> int:
        """Return the end that is not `node`; `node` itself where the object is a literal."""
        return self.subject if self.object is None or self.object == node else self.object


class Step(NamedTuple):
    """The newest edges of a node, newest first; `is_cut` where the node has more."""

    edges: list[Edge]
    is_cut: bool

    def first(self, most: int) -> Step:
        return Step(self.edges[:most], self.is_cut or len(self.edges) > most)


NOTHING = Step([], is_cut=False)


class Ball:
    """The neighbourhood of some entities, grown hop by hop until it holds more triples than its limit."""

    def __init__(self, centre: Sequence[int], *, limit: int) -> None:
        self.limit = limit
        self.frontier = list(dict.fromkeys(centre))
        self._seen = set(self.frontier)
        self._found: dict[int, None] = {}
        self._is_cut = False
        self._most = limit

    @property
    def wanted(self) -> dict[int, int]:
        """How many triples the next hop needs of each node; empty once the ball is full."""
        return dict.fromkeys(self.frontier, self._most) if len(self._found) <= self.limit else {}

    @property
    def nearest(self) -> list[int]:
        """The ids of the triples within the limit, by distance in hops, then newest first."""
        return list(islice(self._found, self.limit))

    @property
    def is_capped(self) -> bool:
        return self._is_cut or len(self._found) > self.limit

    def grow(self, steps: Mapping[int, Step]) -> None:
        """Add the triples of the next hop."""
        ring: dict[int, Edge] = {}
        for node, most in self.wanted.items():
            step = steps.get(node, NOTHING).first(most)
            self._is_cut |= step.is_cut
            ring.update((edge.id, edge) for edge in step.edges if edge.id not in self._found)
        newest = [ring[triple_id] for triple_id in sorted(ring, reverse=True)]
        self._found.update((edge.id, None) for edge in newest)
        ends = (end for edge in newest for end in (edge.subject, edge.object) if end is not None)
        self.frontier = [end for end in dict.fromkeys(ends) if end not in self._seen]
        self._seen.update(self.frontier)
        self._most = max(self.limit // SHARE, LEAST_SHARE)


class Side:
    """One of the two breadth-first searches of a path search, from one of the path's ends."""

    def __init__(self, start: int) -> None:
        self.depth = {start: 0}
        self.frontier = [start]
        self.levels = [[start]]
        self.cut: dict[int, list[int]] = defaultdict(list)
        self._is_narrowed_at: int | None = None

    @property
    def wanted(self) -> dict[int, int]:
        walked = self.frontier[:FRONTIER_MOST]
        return dict.fromkeys(walked, max(min(NODE_MOST, STEP_MOST // max(len(walked), 1)), LEAST_SHARE))

    @property
    def reach(self) -> int:
        return len(self.levels) - 1

    @property
    def exact_depth(self) -> int:
        """The number of hops up to which every entity has been reached: no node before it was cut short."""
        stops = [*self.cut, *([] if self._is_narrowed_at is None else [self._is_narrowed_at])]
        return min([self.reach, *stops])

    @property
    def is_exhausted(self) -> bool:
        """Whether everything that can be reached from this end has been reached."""
        return not self.frontier and self.exact_depth == self.reach

    def grow(self, steps: Mapping[int, Step]) -> Iterator[Edge]:
        """Take one hop and yield its edges."""
        depth = self.reach
        if len(self.frontier) > FRONTIER_MOST and self._is_narrowed_at is None:
            self._is_narrowed_at = depth
        reached: list[int] = []
        for node, most in self.wanted.items():
            step = steps.get(node, NOTHING).first(most)
            if step.is_cut:
                self.cut[depth].append(node)
            for edge in step.edges:
                if edge.object is None:
                    continue
                yield edge
                other = edge.other(node)
                if other not in self.depth:
                    self.depth[other] = depth + 1
                    reached.append(other)
        self.frontier = reached
        self.levels.append(reached)


def merged(wanted: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return, for each node, the largest number of triples that any of the searches wants."""
    most: dict[int, int] = {}
    for one in wanted:
        for node, number in one.items():
            most[node] = max(number, most.get(node, 0))
    return most
