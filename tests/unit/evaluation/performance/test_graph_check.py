"""The bench of the consistency check measures a graph that is what it says."""

from __future__ import annotations

from evaluation.performance.graph_check import NOW, made_up_graph, measure
from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Polarity


def test_made_up_graph_is_large_mixed_and_consistent() -> None:
    graph = made_up_graph(1000)
    assert graph == made_up_graph(1000)
    assert len({triple.id for triple in graph}) == 1000
    assert {triple.polarity for triple in graph} == set(Polarity)
    assert len({triple.predicate for triple in graph}) == 5
    assert find_violations(graph, ontology=Ontology(), now=NOW) == []


def test_bench_gives_every_figure_at_every_size() -> None:
    rows = measure({"triples": (50, 100), "quiet": True})
    assert [(row.group, row.metric) for row in rows] == [
        (size, metric)
        for size in ("50", "100")
        for metric in ("from_scratch_ms", "violations", "update_p50_ms", "update_p95_ms")
    ]
    assert all(row.value is not None and row.name == "graph_check" for row in rows)
