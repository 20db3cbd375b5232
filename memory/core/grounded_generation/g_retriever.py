"""G-Retriever's choice of triples (He et al., 2024, sections 5.2 and 5.3), the baseline of GA-DRG: a connected subgraph.

Nodes and relations that are near to the dialogue get prizes, edges cost, and the prize-collecting Steiner tree of the graph
is taken. An edge that is worth more than it costs is put in as a node between its ends, with what it is worth beyond that.

Departures from the paper:
- The tree is found by `steiner_tree`, not by the algorithm of Hegde et al. (2015).
- A tree of one node has no triple, and gives none.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.steiner import CostlyEdge, steiner_tree
from memory.core.grounded_generation.text_graph import text_graph
from memory.core.ports import Embedder


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
