"""D-SMART, Equation 2: G_t = (G_{t-1} without p_c(G_{t-1}, G'_t)) united with G'_t, worked by hand."""

from __future__ import annotations

from memory.core.knowledge_graph.update import find_supersessions, update
from memory.core.types import GraphFragment
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact


def test_equation_2_prunes_the_conflicts_and_merges_the_fragment() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), fact("Ana", "worksFor", "Airbus"), fact("Ana", "likes", "tea"), at=1)
    before = graph.active()
    fragment = GraphFragment((fact("Ana", "livesIn", "Lyon"), fact("Ana", "likes", "jazz")))

    conflicts = {item.old for item in find_supersessions(fragment, before, said_at=day(2))}
    expected = {(t.predicate, t.object) for t in set(before) - conflicts}
    expected |= {(f.predicate, f.object.label) for f in fragment.facts}

    graph.say(*fragment.facts, at=2)
    assert {(t.predicate, t.object) for t in graph.active()} == expected
    assert expected == {("livesIn", "Lyon"), ("worksFor", "Airbus"), ("likes", "tea"), ("likes", "jazz")}


def test_equation_2_removes_only_triples_of_the_old_graph() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = update(graph.active(), GraphFragment((fact("Ana", "livesIn", "Lyon"),)), said_at=day(2))
    assert {item.old.id for item in change.superseded} <= {triple.id for triple in graph.triples}


def test_running_example_closes_the_old_home_without_a_contradiction() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "Lyon", phrase="move to", valid_from=day(8)), at=9)
    assert graph.holding() == {"Ana livesIn Lyon"}
    history = [(t.object, t.superseded_at) for t in graph.triples]
    assert history == [("Paris", day(9)), ("Lyon", None)]
