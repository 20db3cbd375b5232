"""Whose word counts more: a person's about themself, another person's, the assistant's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.core.knowledge_graph.conflict.rule_based import find_overruled
from memory.core.types import Fact, Polarity, Role, Tense
from tests.unit.memory.core.knowledge_graph.graphs import Graph, day, fact

DENIED = Polarity.NEGATIVE
BORN_1990 = fact("Ana", "birthDate", "7 May 1990", is_literal=True)
GRADUATED = fact("Ana", "graduatedFrom", "MIT", tense=Tense.PAST, valid_from=day(-14_000), valid_to=day(-13_700))

# Whose word: (who said the old, who says the new) -> whether the new one wins.
ANA, BOB, ASSISTANT = ("Ana", Role.USER), ("Bob", Role.USER), ("Assistant", Role.ASSISTANT)


@pytest.mark.parametrize(
    ("old_by", "new_by", "wins"),
    [
        (ANA, ANA, True),
        (ANA, BOB, False),
        (ANA, ASSISTANT, False),
        (BOB, ANA, True),
        (BOB, BOB, True),
        (BOB, ASSISTANT, False),
        (ASSISTANT, ANA, True),
        (ASSISTANT, BOB, True),
        (ASSISTANT, ASSISTANT, True),
    ],
)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "Rome")),
        (fact("Ana", "likes", "tea"), fact("Ana", "likes", "tea", polarity=DENIED)),
        (fact("Ana", "likes", "tea"), fact("Ana", "dislikes", "tea")),
        (fact("Ana", "worksFor", "A"), fact("Ana", "worksFor", "any", polarity=DENIED, is_any=True)),
        (fact("Ana", "worksFor", "A"), fact("Ana", "worksFor", "A", tense=Tense.PAST)),
        (BORN_1990, GRADUATED),
    ],
)
def test_weaker_word_is_overruled_and_stronger_one_wins(
    old: Fact, new: Fact, old_by: tuple[str, Role], new_by: tuple[str, Role], wins: bool
) -> None:
    graph = Graph()
    graph.say(old, at=1, by=old_by[0], role=old_by[1])
    before = graph.active()
    change = graph.say(new, at=2, by=new_by[0], role=new_by[1])
    if wins:
        assert [item.old for item in change.superseded] == before
        assert change.overruled == ()
    else:
        assert [(item.old, item.new) for item in change.overruled] == [(before[0], new)]
        assert (change.added, change.superseded, graph.active()) == ((), (), before)


def test_two_people_on_a_third_are_equals() -> None:
    graph = Graph()
    graph.say(fact("Maya", "livesIn", "Nice"), at=1, by="Ana")
    graph.say(fact("Maya", "livesIn", "Rome"), at=2, by="Bob")
    assert graph.holding() == {"Maya livesIn Rome"}
    graph.say(fact("Maya", "livesIn", "Oslo"), at=1, by="Ana")
    assert graph.holding() == {"Maya livesIn Rome"}


@pytest.mark.parametrize("is_own_first", [True, False])
def test_own_word_counts_whichever_comes_first_and_whichever_is_newer(is_own_first: bool) -> None:
    graph = Graph()
    says = [("Ana", "Lyon", 1), ("Bob", "Rome", 5)]
    for speaker, town, at in says if is_own_first else reversed(says):
        graph.say(fact("Ana", "livesIn", town), at=at, by=speaker)
    assert graph.holding() == {"Ana livesIn Lyon"}


def test_both_ends_of_a_marriage_speak_for_themselves() -> None:
    graph = Graph()
    graph.say(fact("Ana", "spouse", "Tom"), at=1, by="Ana")
    graph.say(fact("Eva", "spouse", "Tom"), at=2, by="Bob")
    assert graph.holding() == {"Ana spouse Tom"}
    graph.say(fact("Eva", "spouse", "Tom"), at=3, by="Tom")
    assert graph.holding() == {"Eva spouse Tom"}


def test_speaker_is_known_by_a_part_of_the_name() -> None:
    graph = Graph()
    graph.say(fact("Ana Silva", "livesIn", "Lyon"), at=1, by="Ana")
    graph.triples = [replace(t, subject=replace(t.subject, is_speaker=True)) for t in graph.triples]
    graph.say(fact("Ana Silva", "livesIn", "Rome"), at=2, by="Bob")
    assert graph.holding() == {"Ana Silva livesIn Lyon"}


def test_own_word_is_kept_beside_the_same_one_of_the_assistant() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Lyon"), at=1, by="Assistant", role=Role.ASSISTANT)
    assert len(graph.say(fact("Ana", "livesIn", "Lyon"), at=2, by="Ana").added) == 1
    assert len(graph.say(fact("Ana", "livesIn", "Lyon"), at=2, by="Ana").confirmed) == 1
    assert graph.say(fact("Ana", "livesIn", "Rome"), at=3, by="Assistant", role=Role.ASSISTANT).added == ()
    assert graph.holding() == {"Ana livesIn Lyon"}


def test_overruled_fact_takes_nothing_with_it() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1, by="Bob")
    graph.say(fact("Ana", "livesIn", "France"), at=2, by="Ana")
    graph.say(fact("Ana", "livesIn", "Berlin", phrase="move to"), fact("Ana", "likes", "rain"), at=3, by="Bob")
    assert graph.holding() == {"Ana livesIn Paris", "Ana livesIn France", "Ana likes rain"}


def test_correction_by_hand_outlives_an_older_word_that_comes_late() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), at=1)
    graph.say(fact("Ana", "livesIn", "Lyon"), at=10)
    for _ in range(2):
        change = graph.say(fact("Ana", "livesIn", "Paris"), at=3)
        assert change.superseded == ()
        assert graph.holding() == {"Ana livesIn Lyon"}


def test_overruling_names_each_triple_that_stands_against_a_fact() -> None:
    graph = Graph()
    graph.say(fact("Ana", "livesIn", "Paris"), fact("Ana", "livesIn", "France"), at=1)
    lost = find_overruled(graph.case(fact("Ana", "livesIn", "Berlin", phrase="move to"), at=2, by="Bob"))
    assert [item.old.object for item in lost] == ["Paris", "France"]
