"""G-Retriever's choice of triples (He et al., 2024, sections 5.2 and 5.3), the baseline of GA-DRG: a connected subgraph.

Nodes and relations that are near to the dialogue get prizes, edges cost, and the prize-collecting Steiner tree of the graph
is taken. An edge that is worth more than it costs is put in as a node between its ends, with what it is worth beyond that.

Departures from the paper:
- The tree is found by `steiner_tree`, not by the algorithm of Hegde et al. (2015).
- A tree of one node has no triple, and gives none.

The prize-collecting Steiner tree: a connected part of a graph whose nodes are worth more than its edges cost.

The best part of a tree is found exactly, from its leaves up: what a branch is worth beyond its edge is kept, what costs more
than it brings is cut off. Of a graph several spanning trees are tried so. The tests hold the loss, which is the cost of the
edges taken and the prizes left, below twice the least one on small random graphs; Goemans and Williamson's bound is the same.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.text_graph import text_graph
from memory.core.ports import Embedder

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


@dataclass(frozen=True)
class GRetrieverConfig:
    """So many nodes and relations get prizes, from `nodes` and `relations` down to 1. Defaults: its release, for WebQSP."""

    nodes: int = 3
    relations: int = 5
    edge_cost: float = 0.5


def connected_triples(
    dialogue: Sequence[str],
    triples: Sequence[KnowledgeTriple],
    *,
    embedder: Embedder,
    config: GRetrieverConfig = GRetrieverConfig(),
) -> list[KnowledgeTriple]:
    """Return the triples of the subgraph that a dialogue is worth, in the order in which they were given."""
    triples = list(dict.fromkeys(triples))
    graph = text_graph(triples)
    relations = list(dict.fromkeys(edge.relation for edge in graph.edges))
    vectors = embedder.embed([" ".join(dialogue), *graph.nodes, *relations])
    likeness = vectors[1:] @ vectors[0]
    prizes = _prizes(likeness[: len(graph.nodes)], most=config.nodes)
    by_relation = dict(zip(relations, _prizes(likeness[len(graph.nodes) :], most=config.relations), strict=True))
    many = Counter(edge.relation for edge in graph.edges)
    edges: list[CostlyEdge] = []
    standing: dict[int, int] = {}
    drawn: dict[int, int] = {}
    for place, edge in enumerate(graph.edges):
        # As in its release, the edges of one relation share its prize.
        worth = by_relation[edge.relation] / many[edge.relation] - config.edge_cost
        if worth > 0:
            standing[len(prizes)] = place
            edges += [CostlyEdge(end, len(prizes), 0.0) for end in (edge.start, edge.end)]
            prizes.append(worth)
        else:
            drawn[len(edges)] = place
            edges.append(CostlyEdge(edge.start, edge.end, -worth))
    tree = steiner_tree(prizes, edges)
    taken = {standing[node] for node in tree.nodes if node in standing} | {
        drawn[place] for place in tree.edges if place in drawn
    }
    return [triples[place] for place in sorted(taken)]


def _prizes(likeness: np.ndarray, *, most: int) -> list[float]:
    """Return a prize each: `most` for the nearest, one less for the next, down to 1, and 0 for all others."""
    prizes = np.zeros(len(likeness))
    for rank, place in enumerate(np.argsort(-likeness, kind="stable")[:most]):
        prizes[place] = most - rank
    return [float(prize) for prize in prizes]
