"""Which triples of a knowledge base speak of what a dialogue mentions."""

from __future__ import annotations

import pytest

from memory.core.grounded_generation.knowledge import (
    KnowledgeIndex,
    KnowledgeTriple,
    blocks_of,
    knowledge_triple,
    name_key,
    possible_misspellings,
    possible_names,
    slips_allowed,
)

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


@pytest.mark.parametrize(
    ("utterances", "guesses"),
    [
        (["Do you know Eric Scholosser?"], ["eric scholosser", "scholosser"]),
        (["I like the teusday with morrie book"], []),
        (["teusday with morrie"], ["teusday with morrie"]),
        (["Teusday with Morrie, who wrote it? Scholosser"], ["teusday with morrie", "morrie"]),
        (["I saw Samuel L. Jackson"], ["samuel"]),
        (["I like Nashville"], []),
        (["Nashvile?", "We were in Nashvile"], ["nashvile"]),
        (["Wonderful things", "", "?!"], []),
        ([], []),
    ],
)
def test_possible_misspellings_look_like_names_and_are_none(utterances, guesses):
    assert possible_misspellings(utterances, {"nashville"}, most=10) == guesses


def test_possible_misspellings_are_bounded_and_the_last_said_come_first():
    said = ["I know Arina Grande", "and Eric Scholosser"]
    assert possible_misspellings(said, set(), most=2) == ["eric scholosser", "scholosser"]


def test_possible_names_are_all_runs_of_the_last_words_without_stop_words():
    said = ["Far away", "It is", "The Koala"]
    assert possible_names(said, most=5) == {"koala", "the koala", "it is", "away"}
    assert possible_names(said, most=1) == {"koala"}
    assert possible_names(said, most=0) == set()


@pytest.mark.parametrize(
    ("key", "typo"),
    [("stephen king", "stephan king"), ("the exorcist", "exorcst"), ("nashville", "anshville"), ("morries", "morris")],
)
def test_one_slip_leaves_a_name_in_one_of_its_blocks(key, typo):
    asked = {block for more in (-1, 0, 1) for block in blocks_of(typo, longer=more)}
    assert asked & set(blocks_of(key)) - {""}


def test_blocks_are_empty_for_what_is_too_short_or_too_long_to_be_guessed():
    assert blocks_of("it") == blocks_of("the queen") == blocks_of("a" * 61) == ("", "")
    assert blocks_of("the exorcist") == ("8exorc", "8rcist")


@pytest.mark.parametrize(
    ("run", "key", "slips"),
    [
        ("eric scholosser", "eric schlosser", 1),
        ("teusday with morrie", "tuesdays with morrie", 2),
        ("triller", "thriller", 1),
        ("serbian", "serbia", -1),
        ("rainbow", "the rainbow", -1),
        ("barrie", "carrie", -1),
    ],
)
def test_slips_allowed_grow_with_a_name_and_a_word_that_ends_otherwise_is_no_slip(run, key, slips):
    assert slips_allowed(run, key) == slips
