"""Which triples of a knowledge base speak of what a dialogue mentions."""

from __future__ import annotations

import pytest

from memory.core.grounded_generation.knowledge import KnowledgeIndex, KnowledgeTriple, knowledge_triple, name_key

NASHVILLE = KnowledgeTriple("Nashville", "starred actors", "Hayden Panettiere")
BUGS = KnowledgeTriple("A Bug's Life", "voice actor", "Hayden Panettiere")
QUEEN = KnowledgeTriple("Queen", "has genre", "Rock")
ELIZABETH = KnowledgeTriple("Queen Elizabeth", "is-a", "Monarch")
IT = KnowledgeTriple("It", "written by", "Stephen King")
BASE = KnowledgeIndex([NASHVILLE, BUGS, QUEEN, ELIZABETH, IT, NASHVILLE, KnowledgeTriple("", "is-a", "")])


@pytest.mark.parametrize(
    ("utterances", "linked"),
    [
        (["Have you seen Nashville?"], ["nashville"]),
        (["Nashville is great.", "HAYDEN PANETTIERE is in it!"], ["hayden panettiere", "nashville"]),
        (["a bug's life, then Nashville"], ["nashville", "a bug s life"]),
        (["Queen Elizabeth"], ["queen elizabeth"]),
        (["I saw it with them"], []),
        ([""], []),
        ([], []),
    ],
)
def test_entities_are_linked_by_their_longest_names_the_last_first(utterances, linked):
    assert BASE.linked(utterances) == linked


def test_candidates_are_the_triples_of_what_was_mentioned_each_once():
    assert BASE.candidates(["Hayden Panettiere in Nashville"], limit=10) == [NASHVILLE, BUGS]
    assert BASE.candidates(["Hayden Panettiere in Nashville"], limit=1) == [NASHVILLE]
    assert BASE.candidates(["Nobody knows Ana"], limit=10) == []


def test_inverse_relation_is_turned_round():
    assert knowledge_triple("Stephen King", "~written by", " It ") == IT
    assert IT.text == "It written by Stephen King"


@pytest.mark.parametrize(
    ("one", "other"), [("A Bug’s Life", "a bug's life"), ("Beyoncé", "beyonce"), ("Wall-E", "WALL·E")]
)
def test_names_that_differ_in_marks_have_one_key(one, other):
    assert name_key(one) == name_key(other)


def test_a_circle_of_triples_ends():
    circle = [
        KnowledgeTriple("Ana", "knows", "Bo"),
        KnowledgeTriple("Bo", "knows", "Ana"),
        KnowledgeTriple("Ana", "is", "Ana"),
    ]
    assert KnowledgeIndex(circle).candidates(["Ana"], limit=10) == circle
