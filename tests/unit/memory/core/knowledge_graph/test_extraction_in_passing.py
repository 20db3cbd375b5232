"""Changes told in passing, and habits given up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory.core.english.spelling import plain_words
from memory.core.knowledge_graph.extraction.rule_based import RuleBasedExtractor
from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_habits import spoken_of
from memory.core.types import Role, Utterance
from tests.unit.memory.core.knowledge_graph.conftest import SAID_AT, asserted

Told = Callable[..., set[str]]
SAID = [
    ("Before that I played the recorder.", "was Sam plays recorder"),
    ("My dog Rex snores.", "Sam hasDog Rex; Rex isA dog"),
]


@pytest.fixture
def told(extractor: RuleBasedExtractor) -> Told:
    def facts(*texts: str) -> set[str]:
        said = [Utterance("Sam", Role.USER, text, SAID_AT) for text in texts]
        return asserted(list(extractor.extract_many(said[-1:], context=said[:-1])[0].facts))

    return facts


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_change_told_in_passing_is_read(told: Told, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == told(text)


def test_quitting_a_habit_ends_no_job(told: Told) -> None:
    assert not {fact for fact in told("I vaped for years, quit in August.") if "worksFor" in fact}


@pytest.mark.parametrize("text", ["It's not true that I live in Rome.", "It's great that she plays.", "I left Paris."])
def test_plain_sentence_stays_as_it_is(text: str) -> None:
    assert plain_words(text).text == text


def test_questions_of_habits_and_memberships_name_their_thing() -> None:
    smokes = GraphQuestion("Do I smoke?", Wanted.TRUTH, SPEAKER, verb="smoke")
    assert spoken_of(smokes).object == QuestionTerm("smoking")
    belongs = GraphQuestion("Am I a Lido member?", Wanted.TRUTH, SPEAKER, verb="be", object=QuestionTerm("Lido member"))
    assert (spoken_of(belongs).verb, spoken_of(belongs).object) == ("belong", QuestionTerm("Lido"))
    taken = GraphQuestion("What do I take?", Wanted.VALUE, SPEAKER, verb="take", object=QuestionTerm("every morning"))
    assert spoken_of(taken).object is None
