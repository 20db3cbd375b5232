"""A bidirectional breadth-first search for the shortest paths between two entities.

The state of a breadth-first walk over the graph: what it has reached and which nodes come next.

Callers query the database.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
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


GAPS_MOST = 500
HUB_MOST = 50
DOUBTS_MOST = 200

Path = tuple[Edge, ...]
Adjacency = Mapping[int, list[Edge]]


class PathFinder:
    """One search: both sides take one hop a round until they meet, or are too many edges apart.

    A node with more triples than a round reads hides some of its edges. Edges between it and the nodes that the other side
    has reached are queried one by one (`gaps`). Where an end of the search is such a node, only the other side goes on; so a
    person with thousands of triples is found from the other side.
    """

    def __init__(self, start: int, end: int, *, max_edges: int) -> None:
        self.start, self.end = start, end
        self.max_edges = max_edges
        self.gaps: list[tuple[int, int]] = []
        self._sides = (Side(start), Side(end))
        self._asked: set[tuple[int, int]] = set()
        self._edges: dict[int, Edge] = {}
        self._is_hub: dict[int, bool] = {}
        self._are_gaps_left = False
        self._onward: Adjacency = {}
        self._far: dict[int, int] = {}

    @property
    def distance(self) -> int | None:
        """The number of edges of the shortest known path; None while none is known."""
        return self._far.get(self.start) if self.start != self.end else None

    @property
    def _reach(self) -> int:
        """The length of the longest path that the two sides can have found by now, in edges."""
        return sum(side.reach for side in self._sides)

    @property
    def _growing(self) -> list[Side]:
        whole = [side for side in self._sides if 0 not in side.cut]
        return whole or [*self._sides]

    @property
    def is_done(self) -> bool:
        is_over = self.start == self.end or self._reach >= self.max_edges
        return is_over or self.distance is not None or any(side.is_exhausted for side in self._sides)

    @property
    def is_capped(self) -> bool:
        """Whether a shorter path, or another of the same length, may have been missed because a limit cut the search."""
        if self.start == self.end or any(side.is_exhausted for side in self._sides):
            return False
        near, far = (side.exact_depth for side in self._sides)
        certain = min(self._reach, near + far + (0 if self._are_gaps_left else 1))
        return (self.distance or self.max_edges) > certain

    @property
    def wanted(self) -> dict[int, int]:
        """How many triples the next round needs of each node."""
        return merged(side.wanted for side in self._growing)

    def grow(self, steps: Mapping[int, Step]) -> None:
        """Take one hop on each side and note between which nodes edges may be hidden."""
        for node in self.wanted:
            known = whether_hub(node, steps.get(node, NOTHING))
            if known is not None:
                self._is_hub[node] = known
        for side in self._growing:
            self._edges.update((edge.id, edge) for edge in side.grow(steps))
        both = (
            [*islice(self._hidden(*self._sides), GAPS_MOST + 1)],
            [*islice(self._hidden(*reversed(self._sides)), GAPS_MOST + 1)],
        )
        self._are_gaps_left |= any(len(gaps) > GAPS_MOST for gaps in both)
        self.gaps = list(dict.fromkeys(gap for gaps in both for gap in gaps[:GAPS_MOST]))
        self._asked.update(self.gaps)

    def _hidden(self, ours: Side, theirs: Side) -> Iterator[tuple[int, int]]:
        """Yield the pairs of nodes that a hidden edge may connect, those on the shortest possible paths first."""
        depths = sorted(
            ((near, far) for near in ours.cut for far in range(len(theirs.levels))), key=lambda pair: (sum(pair), pair)
        )
        for near, far in depths:
            if near + 1 + far <= self.max_edges:
                for node in ours.cut[near]:
                    pairs = ((node, other) for other in theirs.levels[far] if other != node)
                    yield from (pair for pair in pairs if pair not in self._asked)

    def join(self, bridges: Mapping[tuple[int, int], list[Edge]]) -> None:
        """Add the hidden edges that were found, and compute the shortest paths over all known edges."""
        for one, other in self.gaps:
            for ends in ((one, other), (other, one)):
                self._edges.update((edge.id, edge) for edge in bridges.get(ends, ()))
        onward: dict[int, list[Edge]] = defaultdict(list)
        for edge in self._edges.values():
            if edge.object is not None:
                onward[edge.subject].append(edge)
                onward[edge.object].append(edge)
        self._onward, self._far = onward, distances(onward, self.end, until=self.start, most=self.max_edges)

    def doubtful(self) -> list[int]:
        """Return inner nodes of which it is unknown whether they are hubs; none where there is only one path to choose."""
        levels = self._levels()
        if sum(len(edges) for level in levels for edges in level.values()) <= len(levels):
            return []
        inner = (node for level in levels[1:] for node in level if node not in self._is_hub)
        return list(islice(inner, DOUBTS_MOST))

    def best(self, hubs: Collection[int], *, most: int) -> list[Path]:
        """Return the best of the shortest known paths: fewest weak edges first, then fewest hubs, then newest."""
        is_hub = {**self._is_hub, **dict.fromkeys(hubs, True)}
        rest: dict[int, list[tuple[int, int, Path]]] = {self.end: [(0, 0, ())]}
        for level in reversed(self._levels()):
            rest = {
                node: nsmallest(
                    most,
                    (
                        (weak + edge.is_weak, hub + is_hub.get(node, False), (edge, *path))
                        for edge in edges
                        for weak, hub, path in rest[edge.other(node)]
                    ),
                    key=lambda one: (one[0], one[1], [-edge.id for edge in one[2]]),
                )
                for node, edges in level.items()
            }
        return [path for _, _, path in rest.get(self.start, [])] if self.distance is not None else []

    def _levels(self) -> list[dict[int, list[Edge]]]:
        """Return, for each position on the shortest paths, its nodes and their edges towards the end."""
        if self.distance is None:
            return []
        levels: list[dict[int, list[Edge]]] = []
        nodes = [self.start]
        for left in reversed(range(self.distance)):
            level = {
                node: [edge for edge in self._onward[node] if self._far.get(edge.other(node)) == left] for node in nodes
            }
            levels.append(level)
            nodes = list(dict.fromkeys(edge.other(node) for node, edges in level.items() for edge in edges))
        return levels


def whether_hub(node: int, step: Step) -> bool | None:
    """Return whether a node has more than `HUB_MOST` triples in one direction; None where the step is too short to tell."""
    leaving = sum(edge.subject == node for edge in step.edges)
    arriving = sum(edge.object == node for edge in step.edges)
    if max(leaving, arriving) > HUB_MOST:
        return True
    return None if step.is_cut else False


def distances(onward: Adjacency, start: int, *, until: int, most: int) -> dict[int, int]:
    """Return the number of edges from `start` to each node, up to the distance of `until` and at most `most` edges."""
    far, nodes = {start: 0}, [start]
    while nodes and until not in far and far[nodes[0]] < most:
        reached = [edge.other(node) for node in nodes for edge in onward.get(node, ())]
        step = far[nodes[0]] + 1
        nodes = [node for node in dict.fromkeys(reached) if node not in far]
        far.update(dict.fromkeys(nodes, step))
    return far
