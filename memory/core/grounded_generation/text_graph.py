"""The graph of selected triples, and its embeddings (equation 5): of the words of its nodes and of its relations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.ports import Embedder
from memory.core.prompting import render_prompt
from memory.core.types import Prompt, TextEdge, TextGraph

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


PROMPT = Path(__file__).parent / "prompts" / "generate.md.j2"
GRAPH_AWARE = Path(__file__).parent / "prompts" / "graph_aware.md.j2"


def generation_prompt(
    knowledge: Sequence[str], dialogue: Sequence[tuple[str, str]], message: str, *, today: str = ""
) -> Prompt:
    """Return the prompt of p_gen: triples in words, the turns before with their speakers, and the message to reply to."""
    return render_prompt(
        PROMPT,
        knowledge=[f"- {' '.join(text.split())}" for text in knowledge],
        dialogue=told(dialogue),
        message=message,
        today=today,
    )


def graph_aware_prompt(graph: TextGraph | None, dialogue: Sequence[tuple[str, str]], message: str) -> Prompt:
    """Return the turns before and the message beside a graph, which alone tells what is known."""
    return replace(render_prompt(GRAPH_AWARE, dialogue=told(dialogue), message=message), graph=graph)


def told(dialogue: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{speaker}: {' '.join(text.split())}" for speaker, text in dialogue]
