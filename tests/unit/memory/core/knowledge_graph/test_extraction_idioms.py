"""Idioms of change, corrections in passing, swapped values, and habits given up."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from memory.core.knowledge_graph.extraction.idioms import CHANGES
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.knowledge_graph.extraction.wording import plain_words
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_habits import spoken_of
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted

Told = Callable[..., set[str]]
SAID = [
    ("We packed everything and relocated to Vantaa.", "Sam livesIn Vantaa"),
    ("My mother has gone to live in a care home in Zwolle.", "Sam's mother livesIn Zwolle"),
    ("My brother moved in with his girlfriend in Vaasa.", "Sam's brother livesIn Vaasa"),
    ("My job took me to Lyon.", "Sam livesIn Lyon"),
    ("Renting a studio in Galway.", "Sam livesIn Galway"),
    ("I left the restaurant and became a baker.", "not Sam worksAs anything; Sam worksAs baker"),
    ("I've been made head of sales.", "Sam worksAs head of sales"),
    ("I was once a navy diver.", "was Sam worksAs navy diver"),
    ("My brother isn't a singer.", "not Sam's brother worksAs singer"),
    ("I take metformin every morning.", "Sam take metformin"),
    ("Before that I played the recorder.", "was Sam plays recorder"),
    ("My dog Rex snores.", "Sam hasDog Rex"),
    ("I no longer smoke.", "not Sam hasHabit smoking"),
]
PUT_RIGHT = [
    ("I was born in 1988.", "Not 1988, gosh, 1986! fat fingers", "Sam birthDate 1986"),
    ("I have three nephews.", "Four, I forgot the baby.", "Sam hasNumberOfNephews 4"),
    ("I'm 34.", "No, 35, my birthday was last week.", "Sam age 35"),
    (
        "My sister lives in Rome.",
        "Silly me, I told you that she lives in Rome, it's Milan.",
        "Sam's sister livesIn Milan",
    ),
    ("My sister plays hockey.", "Sorry, it's water polo that she plays.", "not Sam's sister plays hockey"),
    (
        "My teacher is called Mrs Hallam.",
        "I should have written Hallett rather than Hallam.",
        "Mrs Hallam hasName Hallett",
    ),
    ("Mr. Bell was my teacher last year.", "This year it's Ms. Cole.", "Sam hasTeacher Ms. Cole"),
    ("I used to smoke.", "I gave it up in 2011.", "not Sam hasHabit smoking"),
    ("My brother is 15 and my sister is 17.", "It's the other way round.", "Sam's brother age 17; Sam's sister age 15"),
]


@pytest.fixture
def told(extractor: RuleBasedExtractor) -> Told:
    def facts(*texts: str) -> set[str]:
        said = [Utterance("Sam", Role.USER, text, SAID_AT) for text in texts]
        return asserted(list(extractor.extract_many(said[-1:], context=said[:-1])[0].facts))

    return facts


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_sentence_says_what_its_idiom_means(told: Told, text: str, expected: str) -> None:
    assert set(expected.split("; ")) <= told(text)


@pytest.mark.parametrize(("before", "text", "expected"), PUT_RIGHT)
def test_sentence_puts_right_what_was_said(told: Told, before: str, text: str, expected: str) -> None:
    assert set(expected.split("; ")) <= told(before, text)


def test_quitting_a_habit_ends_no_job(told: Told) -> None:
    assert not {fact for fact in told("I vaped for years, quit in August.") if "worksFor" in fact}


def test_a_denied_role_is_nobody(told: Told) -> None:
    assert "Anand worksAs administrator" in told(
        "My brother Anand sings.", "He is not a doctor; he is an administrator."
    )


@pytest.mark.parametrize("text", ["It's not true that I live in Rome.", "It's great that she plays.", "I left Paris."])
def test_plain_sentence_stays_as_it_is(text: str) -> None:
    assert plain_words(text).text == text


def test_groups_that_change_places_keep_a_range_of_the_original() -> None:
    text = "It's water polo that she plays."
    plain = plain_words(text)
    assert "she plays water polo" in plain.text
    assert len(plain.text) == len(plain.starts) == len(plain.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(plain.starts, plain.ends, strict=True))


def test_every_slot_of_an_idiom_is_a_group_of_it() -> None:
    for pattern, template in CHANGES:
        assert set(re.findall(r"\{(\w)\}", template)) <= set(re.compile(pattern).groupindex)


def test_questions_of_habits_and_memberships_name_their_thing() -> None:
    smokes = GraphQuestion("Do I smoke?", Wanted.TRUTH, SPEAKER, verb="smoke")
    assert spoken_of(smokes).object == QuestionTerm("smoking")
    belongs = GraphQuestion("Am I a Lido member?", Wanted.TRUTH, SPEAKER, verb="be", object=QuestionTerm("Lido member"))
    assert (spoken_of(belongs).verb, spoken_of(belongs).object) == ("belong", QuestionTerm("Lido"))
    taken = GraphQuestion("What do I take?", Wanted.VALUE, SPEAKER, verb="take", object=QuestionTerm("every morning"))
    assert spoken_of(taken).object is None
