"""What a question says besides its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.sentence_graph.fused.config import read_question, restated
from tests.fakes.spoken import asking

TWO = ("Caroline", "Melanie")


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What did Caroline research?", "research"),
        ("When did Melanie's kids go to the museum?", "kids go to the museum"),
        ("How many pots does Melanie have?", "pots does have"),
        ("In which city does Caroline work?", "city does work"),
        ("Tell me about the race", "Tell me about the race"),
        ("Who?", "Who?"),
        ("Was hat Caroline studiert?", "Was hat studiert"),
        ("", ""),
    ],
)
def test_a_question_is_restated_without_asking_words_and_names(question: str, left: str) -> None:
    assert restated(question, TWO) == left


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What did Caroline research?", "Caroline"),
        ("what did caroline research", "Caroline"),
        ("What is Caroline’s dog called?", "Caroline"),
        ("What do Caroline and Melanie share?", ""),
        ("What did Carolines do?", ""),
        ("Who ran a race?", ""),
    ],
)
def test_the_one_speaker_who_is_named_is_asked_about(question: str, speaker: str) -> None:
    assert read_question(asking(question), speakers=TWO).speaker == speaker


def test_parts_of_a_dialogue_are_no_names() -> None:
    asked = read_question(asking("Which user roles did the assistant list?"), speakers=["User", "Assistant", ""])
    assert asked.speaker == ""
    assert asked.wordings[-1] == "user roles did the assistant list"


def test_a_question_that_restates_itself_is_embedded_once() -> None:
    assert read_question(asking("the race"), speakers=TWO).wordings == ("the race",)
    assert read_question(asking("What is it?"), speakers=TWO, restates=False).wordings == ("What is it?",)


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What activities does Melanie do?", True),
        ("Which musical instruments does she play?", True),
        ("How many children does she have?", True),
        ("What do they both like?", True),
        ("What is her name?", False),
        ("When did she go?", False),
        ("What does she like?", False),
    ],
)
def test_questions_for_several_pieces_are_told_apart(question: str, several: bool) -> None:
    assert read_question(asking(question), speakers=TWO).wants_several is several


@given(st.text(max_size=80), st.lists(st.text(max_size=12), max_size=4))
def test_any_question_has_a_wording(question: str, speakers: list[str]) -> None:
    asked = read_question(asking(question), speakers=speakers)
    assert asked.wordings[0] == question
    assert asked.speaker in {"", *speakers}
