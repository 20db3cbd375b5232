"""Triples as a graph, and its embeddings."""

from __future__ import annotations

import numpy as np

from memory.core.grounded_generation.knowledge import KnowledgeTriple, knowledge_triple
from memory.core.grounded_generation.text_graph import GraphEmbedding, text_graph
from memory.core.types import TextEdge, TextGraph
from tests.fakes.graph_models import DrawnVectors

ROUND = TextGraph(("a", "b"), (TextEdge(0, 1, "to"), TextEdge(1, 0, "back"), TextEdge(0, 0, "self")))


def test_graph_has_a_node_a_name_and_an_edge_a_triple_each_once():
    triples = [
        KnowledgeTriple("Bill", "written by", "Dorothy"),
        knowledge_triple("Dorothy", "~written by", "Bill"),
        KnowledgeTriple("Dorothy", "wrote", "Bill"),
        KnowledgeTriple("Bill", "is", "Bill"),
        KnowledgeTriple("Bill", "has genre", ""),
    ]
    edges = (TextEdge(0, 1, "written by"), TextEdge(1, 0, "wrote"), TextEdge(0, 0, "is"), TextEdge(0, 2, "has genre"))
    assert text_graph(triples) == TextGraph(("Bill", "Dorothy", ""), edges)
    assert text_graph([]) == TextGraph()


def test_graphs_are_embedded_one_behind_the_other():
    embedder = DrawnVectors()
    alone = TextGraph(("c", " "))
    found = GraphEmbedding(embedder).embedded([ROUND, TextGraph(), alone])
    assert found.edges.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert found.owners.tolist() == [0, 0, 2, 2]
    wanted = embedder.embed(["a", "b", "c", "to", "back", "self"])
    assert np.array_equal(found.nodes, [*wanted[:3], np.zeros(embedder.dimension)]), "no words, no direction"
    assert np.array_equal(found.relations, wanted[3:])
    behind = GraphEmbedding(embedder).embedded([alone, ROUND])
    assert behind.edges.tolist() == [[2, 3, 2], [3, 2, 2]]


def test_empty_graphs_have_empty_arrays():
    found = GraphEmbedding(DrawnVectors()).embedded([TextGraph()])
    shapes = [part.shape for part in (found.nodes, found.edges, found.relations, found.owners)]
    assert shapes == [(0, 16), (2, 0), (0, 16), (0,)]


def test_a_text_is_embedded_once(monkeypatch):
    asked: list[str] = []

    class Noting(DrawnVectors):
        def embed(self, texts):
            asked.extend(texts)
            return super().embed(texts)

    embedding = GraphEmbedding(Noting())
    first, second = embedding.embedded([ROUND]), embedding.embedded([ROUND, ROUND])
    assert sorted(asked) == ["a", "b", "back", "self", "to"]
    assert np.array_equal(second.nodes, [*first.nodes, *first.nodes])
    monkeypatch.setattr("memory.core.grounded_generation.text_graph.KEPT", 3)
    embedding.embedded([TextGraph(("c",))])
    embedding.embedded([ROUND])
    assert len(asked) > 6, "what was kept is let go where it is too much"
