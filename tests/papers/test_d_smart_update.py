"""D-SMART, Equation 2: G_t = (G_{t-1} without p_c(G_{t-1}, G'_t)) united with G'_t, worked by hand."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.conflict.rule_based import find_supersessions
from memory.core.knowledge_graph.update import update
from memory.core.types import ConflictRule, Supersession
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact


def test_equation_2_prunes_the_conflicts_and_merges_the_fragment() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), fact("Ana", "worksFor", "Airbus"), fact("Ana", "likes", "tea"), at=1)
    before = graph.active()
    fragment = (fact("Ana", "livesIn", "Lyon"), fact("Ana", "likes", "jazz"))

    conflicts = {item.old for item in find_supersessions(graph.case(*fragment, at=2))}
    expected = {(t.predicate, t.object) for t in set(before) - conflicts}
    expected |= {(f.predicate, f.object.label) for f in fragment}

    graph.say(*fragment, at=2)
    assert {(t.predicate, t.object) for t in graph.active()} == expected
    assert expected == {("livesIn", "Lyon"), ("worksFor", "Airbus"), ("likes", "tea"), ("likes", "jazz")}


def test_equation_2_takes_any_detector_and_removes_only_triples_of_the_old_graph() -> None:
    graph = Graph()
    graph.say(fact("Ana", "likes", "tea"), fact("Ana", "likes", "coffee"), at=1)
    tea, coffee = graph.active()
    drinks_up = fact("Ana", "likes", "water")
    case = graph.case(drinks_up, at=2)
    elsewhere = replace(coffee, id=99)
    verdicts = [Supersession(old, drinks_up, ConflictRule.MODEL) for old in (tea, elsewhere, tea)]
    change = update(case, conflicts=verdicts)
    assert [(item.old, item.rule) for item in change.superseded] == [(tea, ConflictRule.MODEL)]
    assert change.added == (drinks_up,)


def test_equation_2_without_conflicts_is_the_union() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = update(graph.case(fact("Ana", "livesIn", "Lyon"), at=2), conflicts=())
    assert ([added.object.label for added in change.added], change.superseded) == (["Lyon"], ())


def test_running_example_closes_the_old_home_without_a_contradiction() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "Lyon", phrase="move to", valid_from=day(8)), at=9)
    assert graph.holding() == {"Ana livesIn Lyon"}
    history = [(t.object, t.superseded_at) for t in graph.triples]
    assert history == [("Paris", day(9)), ("Lyon", None)]


def test_equation_2_applied_twice_changes_nothing_more() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), fact("Ana", "hasQuality", "single"), at=1)
    lyon, married = fact("Ana", "livesIn", "Lyon"), fact("Ana", "hasQuality", "married")
    single = graph.triples[1]
    verdict = Supersession(single, married, ConflictRule.MODEL)
    first = graph.say(lyon, married, at=2, verdicts=[verdict])
    # No rule knows that single and married exclude each other: the slot holds it only once the model said so.
    assert {item.rule for item in first.superseded} == {ConflictRule.FUNCTIONAL_VALUE, ConflictRule.MODEL}
    after = graph.triples
    again = graph.say(lyon, married, at=2, verdicts=[verdict])
    assert (again.added, again.superseded, graph.triples) == ((), (), after)
    assert len(again.confirmed) == 2


def test_equation_2_merges_what_no_better_word_stands_against() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1, by="Ana")
    rome, jazz = fact("Ana", "livesIn", "Rome"), fact("Ana", "likes", "jazz")
    change = graph.say(rome, jazz, at=2, by="Bob")
    assert (change.added, change.superseded) == ((jazz,), ())
    assert [(item.old.object, item.new) for item in change.overruled] == [("Paris", rome)]
    assert graph.holding() == {"Ana livesIn Paris", "Ana likes jazz"}
