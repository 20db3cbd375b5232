"""Comparing what was read in a message with its labels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluation.core.message_match import (
    EXPRESSED_BY,
    EXPRESSED_BY_DENIED,
    FactLabel,
    Match,
    MessageMatch,
    expressed_names,
    expresses,
    message_match,
)
from memory import training
from memory.core.knowledge_graph.replacement import one_of
from memory.core.types import Fact, Node, Polarity, Span, Tense

ME = Node("Ana", "Person", is_speaker=True)
MAYA = Node("Maya", "Person", ("Ana's sister",))
GUIDE = Path(next(iter(training.__path__))) / "messages" / "GUIDE.md"


def fact(predicate: str, value: str, *, subject: Node = ME, denied: bool = False, tense: Tense = Tense.PRESENT) -> Fact:
    polarity = Polarity.NEGATIVE if denied else Polarity.POSITIVE
    return Fact(subject, predicate, Node(value), Span(0, 1), polarity=polarity, tense=tense)


def both(labels: list[FactLabel], read: list[Fact]) -> tuple[Match, Match]:
    found = message_match(labels, read)
    return found.facts, found.objects


def test_table_has_the_names_of_the_guide_and_no_other() -> None:
    listed = re.search(r"predicate, one of: (.*?) ;", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    assert set(EXPRESSED_BY) == set(listed[1].split())
    assert EXPRESSED_BY_DENIED.keys() <= EXPRESSED_BY.keys()


@pytest.mark.parametrize(
    ("predicate", "denied", "names"),
    [
        ("livesIn", False, {"livesIn"}),
        ("livesIn", True, {"livesIn", "movedFrom"}),
        ("hasDog", False, {"hasPet"}),
        ("owns", False, {"owns", "hasPet"}),
        ("owns", True, {"owns", "hasPet", "gotRidOf"}),
        ("hasGirlfriend", False, {"hasPartner"}),
        ("hasFavoriteIceCream", False, {"hasFavorite"}),
        ("hasBudget", False, {"budget"}),
        ("likes", True, {"likes", "dislikes", "mustAvoid"}),
        ("cheatAt", False, {"other"}),
        ("hasLandlord", False, {"other"}),
        (one_of("drives", "collects"), True, {"drives", "owns", "gotRidOf"}),
    ],
)
def test_predicate_expresses_names_of_the_guide(predicate: str, denied: bool, names: set[str]) -> None:
    assert expressed_names(predicate, is_denied=denied) == names


def test_number_of_children_is_a_number_and_a_child() -> None:
    assert {"hasNumberOf", "hasChild"} <= expressed_names("hasNumberOfChildren", is_denied=False)
    assert "hasPartner" not in expressed_names("hasNumberOfChildren", is_denied=False)


@pytest.mark.parametrize(
    ("predicate", "label", "right"),
    [
        ("volunteersAt", "other:volunteer at", True),
        ("rollerSkateWith", "other:volunteer at", True),
        ("isA", "other:be", True),
        ("isA", "worksAs", True),
        ("worksWith", "other:work with", True),
        ("worksWith", "other:volunteer at", False),
        ("livesIn", "other:volunteer at", False),
        ("volunteersAt", "worksFor", False),
    ],
)
def test_other_is_what_the_table_does_not_have(predicate: str, label: str, right: bool) -> None:
    assert expresses(predicate, label, is_denied=False) is right


def test_facts_missed_ones_and_false_ones_are_told() -> None:
    lives, sister, chef = (
        FactLabel("me", "livesIn", "Lyon"),
        FactLabel("me", "hasSister", "Maya"),
        FactLabel("Maya", "worksAs", "pastry chef"),
    )
    right = [fact("livesIn", "lyon!"), fact("worksAs", "chef", subject=MAYA)]
    wrong = fact("worksAs", "pastry", subject=ME)
    assert message_match([lives, sister, chef], [*right, wrong]) == MessageMatch(
        facts=Match(labelled=3, read=3, right=2),
        objects=Match(labelled=3, read=3, right=2),
        missed=(sister,),
        false=(wrong,),
    )


def test_nothing_labelled_and_nothing_read_agree() -> None:
    assert message_match([], []) == MessageMatch(Match(0, 0, 0), Match(0, 0, 0), (), ())


def test_flags_do_not_count() -> None:
    label = FactLabel("me", "worksFor", "Airbus")
    for read in (fact("worksFor", "Airbus", denied=True), fact("worksFor", "Airbus", tense=Tense.PAST)):
        assert both([label], [read]) == (Match(1, 1, 1), Match(1, 1, 1))


@pytest.mark.parametrize(
    ("labelled", "read", "right"),
    [
        ("pastry chef", "chef", 1),
        ("a big pastry chef", "chef", 0),
        ("chef", "a big pastry chef", 0),
        ("Réunion", "reunion", 1),
        ("the the sea", "the sea", 1),
        ("600 euros", "600 dollars", 1),
        ("🍕", "🍕", 1),
        ("🍕", "🍔", 0),
    ],
)
def test_objects_match_where_half_of_the_longer_is_shared(labelled: str, read: str, right: int) -> None:
    assert both([FactLabel("me", "likes", labelled)], [fact("likes", read)])[1] == Match(1, 1, right)


@pytest.mark.parametrize(
    ("label", "subject", "right"),
    [
        ("me", ME, 1),
        ("Me", ME, 1),
        ("me", MAYA, 0),
        ("Maya", ME, 0),
        ("my sister Maya", MAYA, 1),
        ("my sister", MAYA, 1),
        ("my sister", Node("Ana's sister"), 1),
        ("my sister", Node("Ana's brother"), 0),
        ("the dog", Node("the cat"), 0),
        ("Ana", Node("Ana's brother"), 0),
    ],
)
def test_subjects_match_where_both_are_the_speaker_or_share_a_word(label: str, subject: Node, right: int) -> None:
    facts, objects = both([FactLabel(label, "likes", "tea")], [fact("likes", "tea", subject=subject)])
    assert (facts, objects) == (Match(1, 1, right), Match(1, 1, 1))


def test_a_label_is_matched_by_one_fact_and_the_likest() -> None:
    near, exact = fact("likes", "green tea"), fact("likes", "tea")
    found = message_match([FactLabel("me", "likes", "tea")], [near, exact])
    assert (found.facts, found.false) == (Match(1, 2, 1), (near,))


def test_the_end_of_a_state_under_several_predicates_is_one_fact() -> None:
    ends = [fact(predicate, "Panda", denied=True) for predicate in ("owns", "drives", one_of("owns", "uses"))]
    assert both([FactLabel("me", "gotRidOf", "the Panda")], ends) == (Match(1, 1, 1), Match(1, 1, 1))
    assert both([], ends) == (Match(0, 1, 0), Match(0, 1, 0))
    assert both([FactLabel("me", "livesIn", "Rome")], ends) == (Match(1, 1, 0), Match(1, 1, 0))


def test_different_things_of_one_object_stay_two_facts() -> None:
    labels = [FactLabel("me", "owns", "bike"), FactLabel("me", "drives", "bike")]
    read = [fact("owns", "bike"), fact("drives", "bike")]
    assert both(labels, read) == (Match(2, 2, 2), Match(2, 2, 2))
    assert both([], read) == (Match(0, 2, 0), Match(0, 2, 0))


def test_what_names_no_value_is_not_compared() -> None:
    read = [
        Fact(ME, "worksFor", Node("employer", is_any=True), Span(0, 1), polarity=Polarity.NEGATIVE),
        Fact(Node("anybody", is_literal=True, is_any=True), "livesIn", Node("Rome"), Span(0, 1)),
    ]
    assert both([], read) == (Match(0, 0, 0), Match(0, 0, 0))


def test_what_only_follows_from_another_label_is_not_compared() -> None:
    relative = Fact(ME, "hasSister", Node(f"{ME.label}'s sister"), Span(0, 1))
    over = [
        Fact(ME, "livesIn", Node("Rome"), Span(0, 1), tense=Tense.PAST),
        fact(one_of("livesIn", "livesIn"), "Rome", denied=True),
    ]
    assert both([], [relative]) == (Match(0, 0, 0), Match(0, 0, 0))
    assert both([FactLabel("me", "livesIn", "Rome")], over) == (Match(1, 1, 1), Match(1, 1, 1))
