"""The graph of selected triples, and its embeddings (equation 5): of the words of its nodes and of its relations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.ports import Embedder
from memory.core.types import TextEdge, TextGraph

# Vectors that are kept between graphs: those of a conversation's graphs have most of their nodes in common.
KEPT = 20_000


def text_graph(triples: Iterable[KnowledgeTriple]) -> TextGraph:
    """Return the graph of triples: a node a name, an edge a triple, each once and in the order in which they come."""
    places: dict[str, int] = {}
    edges = [
        TextEdge(
            places.setdefault(triple.subject, len(places)),
            places.setdefault(triple.object, len(places)),
            triple.relation,
        )
        for triple in triples
    ]
    return TextGraph(tuple(places), tuple(dict.fromkeys(edges)))


@dataclass(frozen=True)
class EmbeddedGraphs:
    """Graphs one behind the other.

    `nodes` has shape (n, d), `edges` (2, m) with the places of start and end, `relations` (m, d), and `owners` (n,), which
    says of each node whose graph it is of.
    """

    nodes: NDArray[np.float32]
    edges: NDArray[np.int64]
    relations: NDArray[np.float32]
    owners: NDArray[np.int64]


class GraphEmbedding:
    """Embeds graphs. A node or a relation without words is the zero vector."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embedded(self, graphs: Sequence[TextGraph]) -> EmbeddedGraphs:
        sizes = [len(graph.nodes) for graph in graphs]
        firsts = np.cumsum([0, *sizes])
        places = [
            (first + edge.start, first + edge.end)
            for first, graph in zip(firsts[:-1], graphs, strict=True)
            for edge in graph.edges
        ]
        texts = [text for graph in graphs for text in graph.nodes]
        relations = [edge.relation for graph in graphs for edge in graph.edges]
        vectors = self._vectors([*texts, *relations])
        return EmbeddedGraphs(
            nodes=vectors[: len(texts)],
            edges=np.array(places, dtype=np.int64).reshape(-1, 2).T.copy(),
            relations=vectors[len(texts) :],
            owners=np.repeat(np.arange(len(graphs), dtype=np.int64), sizes),
        )

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        asked = dict.fromkeys(text for text in texts if text.strip())
        found = {text: self._known[text] for text in asked if text in self._known}
        fresh = [text for text in asked if text not in found]
        found.update(zip(fresh, self.embedder.embed(fresh), strict=True))
        self._known = found if len(self._known) > KEPT else {**self._known, **found}
        zero = np.zeros(self.embedder.dimension, dtype=np.float32)
        return np.array([found.get(text, zero) for text in texts], dtype=np.float32).reshape(len(texts), len(zero))
