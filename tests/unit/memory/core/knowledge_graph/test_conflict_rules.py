"""`RuleBasedConflictDetector`: each rule, and whose word counts more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.conflict.lifetimes import days_of
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector, met_by, rule_between
from memory.core.knowledge_graph.ontology import Ontology, are_compatible, predicate_named
from memory.core.knowledge_graph.update import slots_of, update
from memory.core.types import ConflictRule, Fact, GraphFragment, Modality, Node, Polarity, Role, Supersession, Tense
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact

DENIED = Polarity.NEGATIVE


def year(number: int) -> datetime:
    return datetime(number, 1, 1, tzinfo=UTC)


def rules_of(graph: Graph, *facts: Fact, at: int = 9, by: str = "", role: Role = Role.USER) -> list[tuple[str, str]]:
    [found] = RuleBasedConflictDetector().find_many([graph.case(*facts, at=at, by=by, role=role)])
    return sorted((item.old.object, item.rule.value) for item in found)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "Lyon"), ConflictRule.FUNCTIONAL_VALUE),
        (fact("Ana", "spouse", "Tom"), fact("Eva", "spouse", "Tom"), ConflictRule.FUNCTIONAL_VALUE),
        (
            fact("Ana", "hasFavoriteColor", "red"),
            fact("Ana", "hasFavoriteColor", "blue"),
            ConflictRule.FUNCTIONAL_VALUE,
        ),
        (fact("Ana", "likes", "tea"), fact("Ana", "likes", "tea", polarity=DENIED), ConflictRule.POLARITY),
        (fact("Ana", "likes", "tea", polarity=DENIED), fact("Ana", "likes", "tea"), ConflictRule.POLARITY),
        (fact("Ana", "likes", "tea"), fact("Ana", "dislikes", "tea"), ConflictRule.DISJOINT_PROPERTIES),
        (fact("Ana", "dislikes", "tea"), fact("Ana", "likes", "Tea"), ConflictRule.DISJOINT_PROPERTIES),
        (fact("Ana", "worksFor", "A"), fact("Ana", "worksFor", "A", tense=Tense.PAST), ConflictRule.ENDED),
        (fact("Ana", "worksFor", "A"), fact("Ana", "worksFor", "", polarity=DENIED, is_any=True), ConflictRule.ENDED),
        (fact("Ana", "livesIn", "Rome", tense=Tense.FUTURE), fact("Ana", "livesIn", "Rome"), ConflictRule.ENDED),
    ],
)
def test_rule_fires(old: Fact, new: Fact, rule: ConflictRule) -> None:
    graph = Graph()
    graph.say(old, at=1, by="Ana")
    assert rules_of(graph, new, by="Ana") == [(old.object.label, rule.value)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (fact("Ana", "likes", "tea"), fact("Ana", "likes", "coffee")),
        (fact("Ana", "worksFor", "A"), fact("Ana", "worksFor", "B")),
        (fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "France")),
        (fact("Ana", "birthDate", "1990"), fact("Ana", "birthDate", "7 May 1990")),
        (fact("Ana", "livesIn", "Paris"), fact("Ben", "livesIn", "Lyon")),
        (fact("Ana", "likes", "tea"), fact("Ana", "dislikes", "coffee")),
        (fact("Ana", "likes", "tea", polarity=DENIED), fact("Ana", "dislikes", "tea")),
        (fact("Ana", "likes", "tea", polarity=DENIED), fact("Ana", "likes", "tea", tense=Tense.PAST, phrase="used to")),
        (fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "Rome", tense=Tense.FUTURE)),
    ],
)
def test_no_rule_fires(old: Fact, new: Fact) -> None:
    graph = Graph()
    graph.say(old, at=1, by="Ana")
    assert rules_of(graph, new, by="Ana") == []


BORN_1990 = fact("Ana", "birthDate", "7 May 1990", is_literal=True)
GRADUATED = fact("Ana", "graduatedFrom", "MIT", tense=Tense.PAST, valid_from=year(1985), valid_to=year(1986))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BORN_1990, GRADUATED),
        (GRADUATED, BORN_1990),
        (BORN_1990, fact("Ana", "worksFor", "Airbus", valid_from=year(1987))),
        (BORN_1990, fact("Ana", "deathDate", "1989", is_literal=True)),
        (fact("Ana", "deathDate", "3 May 1990", is_literal=True), BORN_1990),
        (fact("Ana", "hasQuality", "dead", is_literal=True, valid_from=year(1980)), BORN_1990),
        (fact("Ana", "startDate", "2020-05-02"), fact("Ana", "endDate", "2020-05-01")),
        (BORN_1990, fact("Ana", "age", "70", is_literal=True)),
        (fact("Ana", "age", "12 years old", is_literal=True), BORN_1990),
    ],
)
def test_times_that_cannot_be_are_a_paradox(old: Fact, new: Fact) -> None:
    graph = Graph()
    graph.say(old, at=1)
    assert rules_of(graph, new) == [(old.object.label, "temporal_paradox")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (fact("Ana", "birthDate", "1990"), replace(GRADUATED, valid_from=year(1990), valid_to=year(1991))),
        (fact("Ana", "birthDate", "7 May"), GRADUATED),
        (BORN_1990, replace(GRADUATED, subject=Node("Ben"))),
        (BORN_1990, replace(GRADUATED, polarity=DENIED)),
        (BORN_1990, fact("Ana", "deathDate", "1990")),
        (BORN_1990, fact("Ana", "age", "34", is_literal=True)),
        (BORN_1990, fact("Ana", "age", "32", is_literal=True)),
        (BORN_1990, fact("Ana", "age", "8 months", is_literal=True)),
        (BORN_1990, fact("Ana", "age", "8", is_literal=True, tense=Tense.PAST)),
        (fact("Ana", "startDate", "2020-05"), fact("Ana", "endDate", "2020-05-01")),
        (fact("Ana", "birthDate", "30 February 1990"), GRADUATED),
    ],
)
def test_times_that_may_be_are_none(old: Fact, new: Fact) -> None:
    graph = Graph()
    graph.say(old, at=1)
    assert rules_of(graph, new) == []


def test_older_side_of_a_paradox_is_overruled_when_it_comes_late() -> None:
    graph = Graph()
    graph.say(BORN_1990, at=5)
    change = graph.say(GRADUATED, at=1)
    assert (change.added, change.superseded) == ((), ())
    assert [(item.new, item.rule) for item in change.overruled] == [(GRADUATED, ConflictRule.TEMPORAL_PARADOX)]


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("1990", "1990-01-01", "1990-12-31"),
        ("in February 1992", "1992-02-01", "1992-02-29"),
        ("7 May 1990", "1990-05-07", "1990-05-07"),
        ("May 7th, 1990", "1990-05-07", "1990-05-07"),
        ("1990-05-07", "1990-05-07", "1990-05-07"),
    ],
)
def test_days_of_a_date_in_words(words: str, first: str, last: str) -> None:
    days = days_of(words)
    assert days is not None
    assert (days.first.isoformat(), days.last.isoformat()) == (first, last)


@pytest.mark.parametrize("words", ["7 May", "", "1990 or 1991", "0000", "31 April 1990", "2020-13-01", "five"])
def test_what_names_no_year_is_no_date(words: str) -> None:
    assert days_of(words) is None


@given(st.text())
def test_any_words_are_a_range_of_days_or_none(words: str) -> None:
    days = days_of(words)
    assert days is None or days.first <= days.last


def test_declared_predicate_is_functional_and_undeclared_is_not() -> None:
    for declared, held in (({}, 2), ({"hasHobby": True}, 1)):
        graph = Graph(ontology=Ontology(declared))
        graph.say(fact("Ana", "hasHobby", "chess"), at=1)
        graph.say(fact("Ana", "hasHobby", "go"), at=2)
        assert len(graph.holding()) == held
    nomad = Graph(ontology=Ontology({"livesIn": False}))
    nomad.say(fact("Ana", "livesIn", "Paris"), at=1)
    nomad.say(fact("Ana", "livesIn", "Lyon", phrase="move to"), at=2)
    assert len(nomad.holding()) == 2


@pytest.mark.parametrize("modality", [Modality.REPORTED, Modality.HYPOTHETICAL, Modality.ASKED])
def test_triple_that_nobody_asserted_neither_gives_way_nor_stands_in_it(modality: Modality) -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.triples = [replace(triple, modality=modality) for triple in graph.triples]
    assert rules_of(graph, fact("Ana", "livesIn", "Lyon")) == []
    assert rules_of(graph, fact("Ana", "livesIn", "Lyon"), by="Bob") == []
    change = graph.say(fact("Ana", "livesIn", "Paris"), at=2)
    assert len(change.added) == 1


def test_verdict_by_a_fact_that_was_not_said_is_a_defect() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    verdict = Supersession(graph.triples[0], fact("Ana", "livesIn", "Nice"), ConflictRule.MODEL)
    with pytest.raises(ValueError, match="Nice"):
        update(graph.case(fact("Ana", "livesIn", "Lyon"), at=2), conflicts=[verdict])


def test_surer_verdict_on_a_triple_counts() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    lyon, tea = fact("Ana", "livesIn", "Lyon"), fact("Ana", "likes", "tea")
    change = graph.say(lyon, tea, at=2, verdicts=[Supersession(graph.triples[0], tea, ConflictRule.MODEL)])
    assert [(item.new, item.rule) for item in change.superseded] == [(lyon, ConflictRule.FUNCTIONAL_VALUE)]


def test_slots_reach_what_could_be_a_paradox() -> None:
    def predicates(*facts: Fact) -> set[str]:
        return {name for _, name in slots_of(GraphFragment(facts))}

    assert {"graduatedFrom", "deathDate", "hasQuality", "age"} <= predicates(BORN_1990)
    assert "birthDate" in predicates(GRADUATED)
    assert "birthDate" not in predicates(replace(GRADUATED, valid_from=None))
    assert {"startDate", "endDate"} == predicates(fact("Fair", "endDate", "2020"))


SPEAKERS = st.sampled_from([("Ana", Role.USER), ("Ben", Role.USER), ("Assistant", Role.ASSISTANT)])
FACTS = st.builds(
    fact,
    st.sampled_from(["Ana", "Ben", "Maya"]),
    st.sampled_from(["livesIn", "age", "likes", "dislikes", "worksFor", "spouse", "birthDate", "graduatedFrom"]),
    st.sampled_from(["Paris", "Lyon", "Ana", "30", "1990", "1970"]),
    polarity=st.sampled_from(list(Polarity)),
    tense=st.sampled_from(list(Tense)),
    modality=st.sampled_from([Modality.ASSERTED, Modality.ASSERTED, Modality.REPORTED]),
    is_any=st.booleans(),
    valid_from=st.sampled_from([None, year(1980), day(3), day(20)]),
    phrase=st.sampled_from(["", "move to", "used to"]),
)
SAID = st.lists(st.tuples(st.lists(FACTS, min_size=1, max_size=3), st.integers(0, 9), SPEAKERS), max_size=7)


@settings(max_examples=examples(300))
@given(SAID)
def test_update_keeps_its_promises(said: list[tuple[list[Fact], int, tuple[str, Role]]]) -> None:
    graph = Graph()
    for facts, at, (speaker, role) in said:
        case = graph.case(*facts, at=at, by=speaker, role=role)
        before = {triple.id: triple for triple in case.candidates}
        change = graph.say(*facts, at=at, by=speaker, role=role)
        assert {item.old.id for item in change.superseded} <= before.keys()
        assert all(added.modality is Modality.ASSERTED for added in change.added)
        assert all(a.valid_to is None or a.valid_from is None or a.valid_from <= a.valid_to for a in change.added)
        lost = {item.new for item in change.overruled}
        assert lost.isdisjoint(change.added)
        assert all(item.old.superseded_at is None for item in change.overruled)
        if role is Role.ASSISTANT:
            assert all(item.old.source.role is Role.ASSISTANT for item in change.superseded)
        for item in change.superseded:
            owner = item.old.subject.label
            if item.old.source.speaker == owner and item.old.predicate != "spouse":
                assert speaker == owner
        holding = graph.holding()
        graph.say(*facts, at=at, by=speaker, role=role)
        assert graph.holding() == holding
    assert_no_slot_holds_two(graph)


@settings(max_examples=examples(300))
@given(FACTS, FACTS, st.integers(0, 9), st.integers(0, 9))
def test_rules_speak_of_no_triple_that_is_passed_over(old: Fact, new: Fact, old_at: int, new_at: int) -> None:
    graph = Graph()
    graph.say(replace(old, modality=Modality.ASSERTED), at=old_at)
    for triple in graph.active():
        rule = rule_between(new, triple, said_at=day(new_at), ontology=Ontology())
        assert rule is None or list(met_by(new, [triple], Ontology())) == [triple]


def assert_no_slot_holds_two(graph: Graph) -> None:
    held = [
        triple
        for triple in graph.active()
        if triple.tense is Tense.PRESENT and triple.valid_to is None and triple.polarity is Polarity.POSITIVE
    ]
    for one in held:
        for other in held:
            if one.predicate == other.predicate and one.subject == other.subject and one.object != other.object:
                is_functional = predicate_named(one.predicate).is_functional
                assert not is_functional or are_compatible(one.predicate, one.object, other.object)


def test_rounds_in_either_order_leave_the_same_graph() -> None:
    first, second = fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "Lyon")
    outcomes = []
    for order in ([(first, 1), (second, 2)], [(second, 2), (first, 1)]):
        graph = Graph()
        for said, at in order:
            graph.say(said, at=at)
        outcomes.append(graph.holding())
    assert outcomes == [{"Ana livesIn Lyon"}] * 2
