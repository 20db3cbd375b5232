"""The prize-collecting Steiner tree: a connected part of a graph whose nodes are worth more than its edges cost.

The best part of a tree is found exactly, from its leaves up: what a branch is worth beyond its edge is kept, what costs more
than it brings is cut off. Of a graph several spanning trees are tried so. The tests hold the loss, which is the cost of the
edges taken and the prizes left, below twice the least one on small random graphs; Goemans and Williamson's bound is the same.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

# Spanning trees are grown from the nodes of the highest prizes.
ROOTS = 8


@dataclass(frozen=True)
class CostlyEdge:
    """An edge between two nodes, by their places, with what it costs: nothing or more."""

    start: int
    end: int
    cost: float


@dataclass(frozen=True)
class SteinerTree:
    """The places of the nodes and edges that are taken. `worth` is the prizes taken less the cost of the edges."""

    nodes: frozenset[int] = frozenset()
    edges: frozenset[int] = frozenset()
    worth: float = 0.0


Neighbours = list[list[tuple[int, int]]]
# How far a node is that an edge reaches from one which is so far.
Length = Callable[[float, int, int], float]
# The nodes of a component as they were reached, each with the edge that reached it and the node before; None for the root.
Spanning = list[tuple[int, tuple[int, int] | None]]


def steiner_tree(prizes: Sequence[float], edges: Sequence[CostlyEdge]) -> SteinerTree:
    """Return a tree of great worth; an empty one where no node has a prize."""
    neighbours: Neighbours = [[] for _ in prizes]
    for place, edge in enumerate(edges):
        if edge.start != edge.end:
            neighbours[edge.start].append((edge.end, place))
            neighbours[edge.end].append((edge.start, place))
    roots = sorted((node for node, prize in enumerate(prizes) if prize > 0), key=lambda node: -prizes[node])[:ROOTS]
    found = [
        best_part(spanning, prizes, edges) for root in roots for spanning in _spannings(root, prizes, edges, neighbours)
    ]
    return max(found, key=lambda tree: tree.worth, default=SteinerTree())


def _spannings(
    root: int, prizes: Sequence[float], edges: Sequence[CostlyEdge], neighbours: Neighbours
) -> Iterator[Spanning]:
    """Yield spanning trees from a root: of least paths, of least paths on which prizes are earned, of least cost."""
    yield _spanning(root, edges, neighbours, lambda far, place, node: far + edges[place].cost)
    yield _spanning(root, edges, neighbours, lambda far, place, node: far + max(0.0, edges[place].cost - prizes[node]))
    yield _spanning(root, edges, neighbours, lambda far, place, node: edges[place].cost)


def _spanning(root: int, edges: Sequence[CostlyEdge], neighbours: Neighbours, length: Length) -> Spanning:
    """Return the tree that takes the nearest node next, as `length` has it: Dijkstra's, or Prim's."""
    waiting: list[tuple[float, int, tuple[int, int] | None]] = [(0.0, root, None)]
    reached: dict[int, tuple[int, int] | None] = {}
    while waiting:
        far, node, by = heapq.heappop(waiting)
        if node in reached:
            continue
        reached[node] = by
        for other, place in neighbours[node]:
            if other not in reached:
                heapq.heappush(waiting, (length(far, place, other), other, (place, node)))
    return list(reached.items())


def best_part(spanning: Spanning, prizes: Sequence[float], edges: Sequence[CostlyEdge]) -> SteinerTree:
    """Return the connected part of a tree that is worth most."""
    worth = {node: prizes[node] for node, _ in spanning}
    kept: dict[int, list[tuple[int, int]]] = {node: [] for node, _ in spanning}
    for node, by in reversed(spanning):
        if by is not None and (gain := worth[node] - edges[by[0]].cost) > 0:
            worth[by[1]] += gain
            kept[by[1]].append((node, by[0]))
    top = max(worth, key=lambda node: worth[node])
    nodes, taken, waiting = {top}, set(), [top]
    while waiting:
        for node, place in kept[waiting.pop()]:
            nodes.add(node)
            taken.add(place)
            waiting.append(node)
    return SteinerTree(frozenset(nodes), frozenset(taken), worth[top])
