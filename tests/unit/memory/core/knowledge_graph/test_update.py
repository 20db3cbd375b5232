"""The rules of the update, and what must hold after any sequence of updates."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.conflict.rule_based import find_supersessions
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.update import slots_of
from memory.core.types import ConflictCase, ConflictRule, Fact, GraphFragment, Modality, Polarity, Tense
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact

DENIED = Polarity.NEGATIVE


def test_new_value_of_a_functional_slot_replaces_the_old_one() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(fact("Ana", "livesIn", "Lyon"), at=2)
    assert [(item.old.object, item.new.object.label, item.rule) for item in change.superseded] == [
        ("Paris", "Lyon", ConflictRule.FUNCTIONAL_VALUE)
    ]
    assert graph.holding() == {"Ana livesIn Lyon"}


@pytest.mark.parametrize(
    "predicate", ["likes", "worksFor", "worksAs", "speaks", "hasHobby", "hasSister", "hasDog", "comesFrom"]
)
def test_second_value_of_a_plural_slot_stands_beside_the_first(predicate: str) -> None:
    graph = Graph()
    graph.say(fact("Ana", predicate, "A"), at=1)
    assert graph.say(fact("Ana", predicate, "B"), at=2).superseded == ()
    assert len(graph.holding()) == 2


def test_same_slot_of_another_subject_is_untouched() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ben", "livesIn", "Lyon"), at=2)
    assert graph.holding() == {"Ana livesIn Paris", "Ben livesIn Lyon"}


def test_denial_replaces_what_it_denies_and_is_replaced_by_its_assertion() -> None:
    graph = Graph()
    graph.say(fact("Ana", "likes", "olives"), at=1)
    change = graph.say(fact("Ana", "likes", "olives", polarity=DENIED), at=2)
    assert [item.rule for item in change.superseded] == [ConflictRule.POLARITY]
    assert graph.holding() == {"not Ana likes olives"}
    graph.say(fact("Ana", "likes", "Olives"), at=3)
    assert graph.holding() == {"Ana likes Olives"}


def test_disliking_replaces_liking() -> None:
    graph = Graph()
    graph.say(fact("Ana", "likes", "coffee"), fact("Ana", "likes", "tea"), at=1)
    change = graph.say(fact("Ana", "dislikes", "coffee"), at=2)
    assert [item.rule for item in change.superseded] == [ConflictRule.DISJOINT_PROPERTIES]
    assert graph.holding() == {"Ana dislikes coffee", "Ana likes tea"}


def test_denial_of_everything_ends_every_value() -> None:
    graph = Graph()
    graph.say(fact("Ana", "worksFor", "Airbus"), fact("Ana", "worksFor", "Renault"), at=1)
    change = graph.say(fact("Ana", "worksFor", "anything", polarity=DENIED, is_any=True), at=2)
    assert {item.rule for item in change.superseded} == {ConflictRule.ENDED}
    assert graph.holding() == {"not Ana worksFor anything"}
    graph.say(fact("Ana", "worksFor", "Boeing"), at=3)
    assert graph.holding() == {"Ana worksFor Boeing"}


def test_new_job_in_the_same_breath_succeeds_the_old_one() -> None:
    graph = Graph()
    graph.say(fact("Ana", "worksFor", "Airbus"), at=1)
    end = fact("Ana", "worksFor", "anything", polarity=DENIED, is_any=True)
    change = graph.say(end, fact("Ana", "worksFor", "Boeing"), at=2)
    assert [(item.old.object, item.new.object.label, item.rule) for item in change.superseded] == [
        ("Airbus", "Boeing", ConflictRule.ENDED)
    ]
    assert graph.holding() == {"Ana worksFor Boeing"}


def test_every_successor_is_among_the_added_facts() -> None:
    graph = Graph()
    graph.say(fact("Ana", "worksFor", "Airbus"), fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(
        fact("Ana", "worksFor", "anything", polarity=DENIED, is_any=True),
        fact("Ana", "worksFor", "Boeing"),
        fact("Ana", "livesIn", "Lyon"),
        fact("Ana", "livesIn", "Nice"),
        at=2,
    )
    assert len(change.superseded) == 2
    assert all(any(item.new is added for added in change.added) for item in change.superseded)


@pytest.mark.parametrize("modality", [Modality.HYPOTHETICAL, Modality.ASKED, Modality.REPORTED])
def test_what_is_not_asserted_changes_nothing(modality: Modality) -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(fact("Ana", "livesIn", "Lyon", modality=modality), at=2)
    assert (change.added, change.superseded, graph.holding()) == ((), (), {"Ana livesIn Paris"})


def test_past_fact_that_nobody_dated_gets_no_end_and_replaces_nothing() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Lyon"), at=1)
    change = graph.say(fact("Ana", "livesIn", "Paris", tense=Tense.PAST), at=2)
    assert change.superseded == ()
    assert [added.valid_to for added in change.added] == [None]
    assert graph.holding() == {"Ana livesIn Lyon"}


def test_past_fact_ends_its_own_present() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(fact("Ana", "livesIn", "Paris", tense=Tense.PAST, phrase="used to live in"), at=2)
    assert [item.rule for item in change.superseded] == [ConflictRule.ENDED]
    assert graph.holding() == set()


def test_occasion_of_the_past_does_not_end_a_habit() -> None:
    graph = Graph()
    graph.say(fact("Ana", "plays", "chess"), at=1)
    graph.say(fact("Ana", "plays", "chess", tense=Tense.PAST), at=2)
    assert graph.holding() == {"Ana plays chess"}


def test_plan_replaces_nothing_until_it_comes_true() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "Berlin", tense=Tense.FUTURE, valid_from=day(30)), at=2)
    assert graph.holding() == {"Ana livesIn Paris"}
    graph.say(fact("Ana", "livesIn", "Berlin"), at=40)
    assert graph.holding() == {"Ana livesIn Berlin"}
    assert all(triple.tense is not Tense.FUTURE for triple in graph.active())


def test_older_word_heard_later_does_not_win() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Lyon"), at=5)
    change = graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    assert change.superseded == ()
    assert [added.valid_to for added in change.added] == [day(5)]
    assert graph.holding() == {"Ana livesIn Lyon"}


def test_town_and_its_country_agree_until_somebody_moves() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "France", phrase="live in"), at=2)
    assert graph.holding() == {"Ana livesIn Paris", "Ana livesIn France"}
    graph.say(fact("Ana", "livesIn", "Germany", phrase="move to"), at=3)
    assert graph.holding() == {"Ana livesIn Germany"}


def test_new_town_leaves_the_old_country_too() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "France"), at=1)
    graph.say(fact("Ana", "livesIn", "Berlin"), at=2)
    assert graph.holding() == {"Ana livesIn Berlin"}


def test_dates_that_refine_each_other_agree() -> None:
    graph = Graph()
    graph.say(fact("Ana", "birthDate", "1990"), at=1)
    assert graph.say(fact("Ana", "birthDate", "7 May"), at=2).superseded == ()
    assert len(graph.say(fact("Ana", "birthDate", "7 May 1991"), at=3).superseded) == 2


def test_marriage_binds_both_ways() -> None:
    graph = Graph()
    graph.say(fact("Ana", "spouse", "Tom"), at=1)
    assert len(graph.say(fact("Tom", "spouse", "Ana"), at=2).confirmed) == 1
    graph.say(fact("Tom", "spouse", "Eva"), at=3)
    assert graph.holding() == {"Tom spouse Eva"}


def test_known_fact_is_confirmed_not_added() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    change = graph.say(fact("Ana", "livesIn", "paris"), at=2)
    assert (change.added, change.superseded) == ((), ())
    assert [known.object for _, known in change.confirmed] == ["Paris"]


def test_tentative_denial_is_kept_only_where_it_ends_something() -> None:
    graph = Graph()
    graph.say(fact("Ana", "worksFor", "Airbus"), at=1)
    left = [fact("Ana", predicate, "Airbus", polarity=DENIED, confidence=0.4) for predicate in ("worksFor", "livesIn")]
    graph.say(*left, at=2)
    assert graph.holding() == {"not Ana worksFor Airbus"}


def test_find_supersessions_ignores_what_is_superseded_already() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "Lyon"), at=2)
    fragment = GraphFragment((fact("Ana", "livesIn", "Nice"),))
    found = find_supersessions(ConflictCase(fragment, tuple(graph.triples), day(3), speaker="Ana"))
    assert [item.old.object for item in found] == ["Lyon"]


def test_slots_cover_opposites_and_both_ends_of_symmetric_predicates() -> None:
    assert slots_of(GraphFragment((fact("Ana", "likes", "tea"),))) == {("ana", "likes"), ("ana", "dislikes")}
    assert slots_of(GraphFragment((fact("Ana", "spouse", "Tom"),))) == {("ana", "spouse"), ("tom", "spouse")}
    assert slots_of(GraphFragment((fact("Ana", "likes", "tea", modality=Modality.ASKED),))) == set()


PREDICATES = ["livesIn", "age", "likes", "dislikes", "worksFor", "spouse", "hasFavoriteColor"]
facts = st.builds(
    fact,
    st.sampled_from(["Ana", "Ben"]),
    st.sampled_from(PREDICATES),
    st.sampled_from(["Paris", "Lyon", "Rome"]),
    polarity=st.sampled_from(list(Polarity)),
    tense=st.sampled_from(list(Tense)),
)
present_facts = st.builds(
    fact, st.just("Ana"), st.sampled_from(["livesIn", "age"]), st.sampled_from(["Paris", "Lyon", "Rome", "Nice"])
)


@settings(max_examples=examples(200))
@given(st.lists(st.lists(facts, min_size=1, max_size=3), max_size=6))
def test_update_is_idempotent(fragments: list[list[Fact]]) -> None:
    graph = Graph()
    for number, fragment in enumerate(fragments):
        graph.say(*fragment, at=number)
    for fragment in fragments[-1:]:
        graph.say(*fragment, at=len(fragments) - 1)
        before = graph.holding()
        graph.say(*fragment, at=len(fragments) - 1)
        assert graph.holding() == before


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.lists(facts, min_size=1, max_size=3), st.integers(0, 9)), max_size=8))
def test_functional_slot_never_holds_two_values(fragments: list[tuple[list[Fact], int]]) -> None:
    graph = Graph()
    for fragment, at in fragments:
        graph.say(*fragment, at=at)
    held = Counter(
        (held.subject.label, held.predicate)
        for held in {
            (triple.subject.label, triple.predicate, triple.object): triple
            for triple in graph.active()
            if triple.tense is Tense.PRESENT and triple.valid_to is None and triple.polarity is Polarity.POSITIVE
        }.values()
        if predicate_named(held.predicate).is_functional
    )
    assert all(count == 1 for count in held.values())


@settings(max_examples=examples(100))
@given(st.lists(present_facts, min_size=1, max_size=4, unique_by=lambda said: said.object.label))
def test_what_holds_depends_on_when_it_was_said_not_on_when_it_was_heard(said: list[Fact]) -> None:
    outcomes = set()
    for order in itertools.permutations(range(len(said))):
        graph = Graph()
        for number in order:
            graph.say(said[number], at=number)
        outcomes.add(frozenset(graph.holding()))
    assert len(outcomes) == 1
