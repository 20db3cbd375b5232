"""What is known of predicates, and how words name them."""

from __future__ import annotations

import pytest

from memory.core.knowledge_graph.ontology import (
    PREDICATES,
    VERB_PREDICATES,
    are_compatible,
    favorite_of,
    minted,
    number_of,
    predicate_named,
    predicate_of_phrase,
    relation_of,
)
from memory.core.naming import key_of


@pytest.mark.parametrize(
    "name", ["livesIn", "age", "birthDate", "bornIn", "spouse", "hasName", "hasFavoriteBand", "hasMother"]
)
def test_single_valued_predicates_are_functional(name: str) -> None:
    assert predicate_named(name).is_functional


@pytest.mark.parametrize(
    "name", ["worksFor", "worksAs", "likes", "speaks", "hasSister", "hasFriend", "locatedIn", "hasDog", "graduateFrom"]
)
def test_many_valued_predicates_are_not_functional(name: str) -> None:
    assert not predicate_named(name).is_functional


def test_liking_and_disliking_exclude_each_other() -> None:
    assert predicate_named("likes").disjoint_with == "dislikes"
    assert predicate_named("dislikes").disjoint_with == "likes"


def test_minted_predicate_says_itself() -> None:
    predicate = predicate_named("graduateFrom")
    assert (predicate.verb, predicate.preposition, predicate.noun) == ("graduate", "from", "")


def test_favourite_is_one_role_in_either_spelling() -> None:
    assert favorite_of("colour") == favorite_of("color") == "hasFavoriteColor"
    assert predicate_named(favorite_of("ice cream")).noun == "favorite ice cream"


def test_number_of_things_is_a_single_literal() -> None:
    predicate = predicate_named(number_of("brothers"))
    assert predicate.is_functional and predicate.range == "Literal"
    assert predicate.noun == "number of brothers"


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("live in", "livesIn"),
        ("move to", "livesIn"),
        ("work at", "worksFor"),
        ("be allergic to", "allergicTo"),
        ("frobnicate", ""),
    ],
)
def test_phrase_names_its_predicate(phrase: str, name: str) -> None:
    assert predicate_of_phrase(phrase) == name


def test_minted_name_joins_the_words_of_a_phrase() -> None:
    assert minted("look after") == "lookAfter"


@pytest.mark.parametrize(
    ("noun", "name"), [("Sister", "hasSister"), ("mom", "hasMother"), ("wife", "spouse"), ("table", "")]
)
def test_relation_noun_names_its_predicate(noun: str, name: str) -> None:
    assert relation_of(noun) == name


@pytest.mark.parametrize(
    ("predicate", "first", "second", "compatible"),
    [
        ("livesIn", "Paris", "France", True),
        ("livesIn", "Paris", "Lyon", False),
        ("livesIn", "France", "Germany", False),
        ("birthDate", "1990", "7 May 1990", True),
        ("birthDate", "7 May", "8 May", False),
        ("age", "34", "35", False),
    ],
)
def test_values_share_a_slot_only_where_both_can_be_true(
    predicate: str, first: str, second: str, compatible: bool
) -> None:
    assert are_compatible(predicate, first, second) is compatible


def test_opposites_and_inverses_point_to_known_predicates() -> None:
    for predicate in PREDICATES.values():
        assert {predicate.disjoint_with, predicate.inverse} - {""} <= PREDICATES.keys()


def test_every_phrase_of_the_table_is_in_base_form() -> None:
    assert all(phrase == phrase.lower() for phrase in VERB_PREDICATES)


@pytest.mark.parametrize(
    ("first", "second"), [("Zoë", "zoe"), ("New  York", "new york"), ("O’Brien", "O'Brien"), ("“Biscuit”", "biscuit")]
)
def test_key_folds_what_does_not_distinguish_names(first: str, second: str) -> None:
    assert key_of(first) == key_of(second)


@pytest.mark.parametrize(("first", "second"), [("Ana", "Anna"), ("東京", "京都"), ("Ана", "Ани")])
def test_key_keeps_different_names_apart(first: str, second: str) -> None:
    assert key_of(first) != key_of(second)


def test_nameless_predicate_is_a_plain_relation() -> None:
    assert predicate_named("").verb


@pytest.mark.parametrize(
    ("name", "axioms"),
    [
        ("hasParent", {"is_asymmetric", "is_irreflexive"}),
        ("hasChild", {"is_asymmetric", "is_irreflexive"}),
        ("hasMother", {"is_functional", "is_asymmetric", "is_irreflexive"}),
        ("hasSibling", {"is_symmetric", "is_irreflexive"}),
        ("hasSister", {"is_irreflexive"}),
        ("spouse", {"is_functional", "is_symmetric", "is_irreflexive"}),
        ("locatedIn", {"is_transitive"}),
        ("knows", {"is_symmetric"}),
        ("worksFor", set()),
        ("speaks", set()),
        ("hasHobby", set()),
        ("allergicTo", set()),
        ("lookAfter", set()),
    ],
)
def test_axioms_of_a_predicate(name: str, axioms: set[str]) -> None:
    known = predicate_named(name)
    named = ("is_functional", "is_symmetric", "is_asymmetric", "is_irreflexive", "is_transitive")
    assert {axiom for axiom in named if getattr(known, axiom)} == axioms


def test_parents_and_children_are_each_others_inverse() -> None:
    assert predicate_named("hasParent").inverse == "hasChild"
    for predicate in PREDICATES.values():
        if predicate.inverse:
            assert predicate_named(predicate.inverse).inverse == predicate.name
            assert predicate_named(predicate.inverse).is_asymmetric == predicate.is_asymmetric


def test_broader_predicate_keeps_the_axioms_that_its_cases_rely_on() -> None:
    assert predicate_named("hasMother").broader == "hasParent"
    for predicate in PREDICATES.values():
        if predicate.broader:
            assert predicate.broader in PREDICATES
            assert predicate_named(predicate.broader).is_irreflexive
            assert not predicate_named(predicate.broader).broader
