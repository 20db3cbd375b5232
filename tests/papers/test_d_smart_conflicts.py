"""D-SMART, Figures 9 and 10: what the conflict detection counts as a conflict and what not, on the paper's own examples.

The replies are written by hand, as a model that follows the contract sends them; no model runs here.
"""

from __future__ import annotations

import json

import pytest

from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector, conflict_prompt, shown_triples
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.conflict.whole_graph import WholeGraphConflictDetector
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import ConflictCase, ConflictRule, Fact, GraphFragment, Supersession
from tests.fakes.replaying import Replaying
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact


def value(subject: str, predicate: str, text: str) -> Fact:
    return fact(subject, predicate, text, is_literal=True)


def merged(old: list[Fact], *new: Fact) -> tuple[Graph, ConflictCase]:
    graph = Graph()
    for said in old:
        graph.say(said, at=1)
    return graph, ConflictCase(GraphFragment(new), tuple(graph.active()), day(2), speaker="Ana")


def named(case: ConflictCase, *objects: str) -> str:
    """Return the reply that names the triples of the graph with these objects."""
    numbers = [number for number, one in enumerate(shown_triples(case), start=1) if one.object in objects]
    return json.dumps({"conflicts": [{"graph": number, "new": 1} for number in numbers]})


def by_rules(case: ConflictCase) -> list[Supersession]:
    [found] = RuleBasedConflictDetector().find_many([case])
    return found


def by_model(case: ConflictCase, reply: str) -> list[Supersession]:
    [found] = PromptedConflictDetector(Replaying(reply)).find_many([case])
    return found


CONFLICTS = [
    pytest.param(
        [value("Ana", "birthDate", "7 May 1990")],
        value("Ana", "birthDate", "8 June 1991"),
        ConflictRule.FUNCTIONAL_VALUE,
        id="two birth dates",
    ),
    pytest.param(
        [fact("Ana", "spouse", "Tom")], fact("Ana", "spouse", "Ben"), ConflictRule.FUNCTIONAL_VALUE, id="two spouses"
    ),
    pytest.param(
        [value("Ana", "hasPassportNumber", "X1")],
        value("Ana", "hasPassportNumber", "X2"),
        ConflictRule.FUNCTIONAL_VALUE,
        id="two passport numbers",
    ),
    pytest.param([value("Ana", "age", "30")], value("Ana", "age", "40"), ConflictRule.FUNCTIONAL_VALUE, id="30 and 40"),
    pytest.param(
        [value("Ana", "birthDate", "1990")],
        value("Ana", "deathDate", "1980"),
        ConflictRule.TEMPORAL_PARADOX,
        id="death before birth",
    ),
    pytest.param(
        [value("Ana", "hasQuality", "alive")], value("Ana", "hasQuality", "deceased"), None, id="alive and dead"
    ),
]


@pytest.mark.parametrize(("old", "new", "rule"), CONFLICTS)
def test_figure_9_conflict_is_found(old: list[Fact], new: Fact, rule: ConflictRule | None) -> None:
    _, case = merged(old, new)
    assert [item.rule for item in by_rules(case)] == ([rule] if rule else [])
    [verdict] = by_model(case, named(case, old[0].object.label))
    assert (verdict.old.object, verdict.new, verdict.rule) == (old[0].object.label, new, ConflictRule.MODEL)


@pytest.mark.parametrize("predicate", ["likes", "hasChild", "hasHobby", "worksFor"])
def test_figure_10_second_value_of_a_plural_predicate_is_none_even_if_a_model_says_so(predicate: str) -> None:
    _, case = merged([fact("Ana", predicate, "A")], fact("Ana", predicate, "B"))
    assert by_rules(case) == []
    assert by_model(case, '{"conflicts": []}') == []
    assert by_model(case, named(case, "A")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(fact("Ana", "livesIn", "Paris"), fact("Ana", "likes", "tea"), id="silent sides"),
        pytest.param(value("Ana", "birthDate", "1990"), value("Ana", "birthDate", "7 May 1990"), id="enrichment"),
        pytest.param(fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "France"), id="vaguer"),
        pytest.param(fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "PARIS"), id="other spelling"),
    ],
)
def test_figure_10_enrichment_and_other_words_are_no_conflicts(old: Fact, new: Fact) -> None:
    _, case = merged([old], new)
    assert by_rules(case) == []
    if old.predicate == new.predicate:
        assert by_model(case, named(case, old.object.label)) == []


def test_figure_10_only_triples_of_the_origin_count() -> None:
    graph, case = merged([fact("Ana", "livesIn", "Paris")], fact("Ana", "livesIn", "Lyon"))
    assert by_model(case, '{"conflicts": [{"graph": 2, "new": 1}]}') == []
    [[verdict]] = WholeGraphConflictDetector(Replaying(named(case, "Paris")), graph=graph.active).find_many([case])
    assert verdict.old.object == "Paris"


def test_figures_9_and_10_are_the_contract_of_the_prompt() -> None:
    _, case = merged([fact("Ana", "livesIn", "Paris")], fact("Ana", "livesIn", "Lyon"))
    contract = conflict_prompt(case, case.candidates, Ontology()).messages[0].content
    for kind in ("Cardinality", "Logic", "Meaning", "under different names", "no conflicts", '{"conflicts": []}'):
        assert kind in contract
    for predicate in ("spouse", "birthDate"):
        assert predicate in contract.partition("one value at a time")[2].splitlines()[0]
    for predicate in ("likes", "hasChild", "hasHobby", "worksFor"):
        assert predicate in contract.partition("may have many")[2].splitlines()[0]


def test_model_and_rules_together_retire_a_triple_once_and_keep_the_rule_that_fired() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), value("Ana", "hasQuality", "single"), at=1)
    moved, married = fact("Ana", "livesIn", "Lyon"), value("Ana", "hasQuality", "married")
    case = graph.case(moved, married, at=2)
    verdicts = by_model(case, named(case, "Paris", "single"))
    change = graph.say(moved, married, at=2, verdicts=verdicts)
    assert {item.old.object: item.rule for item in change.superseded} == {
        "Paris": ConflictRule.FUNCTIONAL_VALUE,
        "single": ConflictRule.MODEL,
    }
    assert graph.holding() == {"Ana livesIn Lyon", "Ana hasQuality married"}
