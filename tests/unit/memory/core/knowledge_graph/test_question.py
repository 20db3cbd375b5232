"""What questions ask of the graph, over the parser that ships."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.question_shell import unwrapped
from tests.fakes.language import real_parser


def read(text: str) -> GraphQuestion:
    return read_questions([text], parser=real_parser())[0]


def shown(mention: QuestionTerm | None) -> str:
    """Return a mention in one line: "ME's sister"."""
    if mention is None:
        return ""
    if mention.is_speaker:
        return "ME"
    owner = f"{shown(mention.owner)}'s " if mention.owner is not None else ""
    return owner + (f"{mention.role} " if mention.role else "") + mention.text


FORMS = [
    ("What is my sister's name?", Wanted.NAME, "ME's sister", "hasName"),
    ("whats my name", Wanted.NAME, "ME", "hasName"),
    ("What is the name of my dog?", Wanted.NAME, "ME's dog", "hasName"),
    ("Can you tell me what my dog is called?", Wanted.NAME, "ME's dog", "hasName"),
    ("Who is my boss?", Wanted.PERSON, "ME", "hasBoss"),
    ("Do you remember who my boss is?", Wanted.PERSON, "ME", "hasBoss"),
    ("Who is Maya's husband?", Wanted.PERSON, "Maya", "spouse"),
    ("Who is Maya married to?", Wanted.PERSON, "Maya", "spouse"),
    ("Who do I work for?", Wanted.PERSON, "ME", "worksFor"),
    ("Who do I live with?", Wanted.PERSON, "ME", "livesWith"),
    ("How old is Leo?", Wanted.AGE, "Leo", "age"),
    ("What's Leo's age?", Wanted.AGE, "Leo", "age"),
    ("What's my favourite band?", Wanted.VALUE, "ME", "hasFavoriteBand"),
    ("What is my job?", Wanted.VALUE, "ME", "worksAs"),
    ("what do I do for a living?", Wanted.VALUE, "ME", "worksAs"),
    ("what does my sister do?", Wanted.VALUE, "ME's sister", "worksAs"),
    ("what's my sister's job?", Wanted.VALUE, "ME's sister", "worksAs"),
    ("When is my birthday?", Wanted.TIME, "ME", "birthDate"),
    ("When was Leo born?", Wanted.TIME, "Leo", "birthDate"),
    ("Where was my mother born?", Wanted.PLACE, "ME's mother", "bornIn"),
    ("Where does my sister work?", Wanted.PLACE, "ME's sister", "worksFor"),
    ("Where does my sister's husband work?", Wanted.PLACE, "ME's sister's husband", "worksFor"),
    ("where do i live", Wanted.PLACE, "ME", "livesIn"),
    ("do you know where I live?", Wanted.PLACE, "ME", "livesIn"),
    ("which city do I live in?", Wanted.PLACE, "ME", "livesIn"),
    ("In which city does my brother live?", Wanted.PLACE, "ME's brother", "livesIn"),
    ("Where is Ana from?", Wanted.PLACE, "Ana", "comesFrom"),
    ("Where did Caroline move from 4 years ago?", Wanted.PLACE, "Caroline", "movedFrom"),
    ("How many siblings do I have?", Wanted.COUNT, "ME", "hasSibling"),
    ("How many dogs do I have?", Wanted.COUNT, "ME", "hasDog"),
    ("Do I have a dog?", Wanted.TRUTH, "ME", "hasDog"),
    ("Does my sister have kids?", Wanted.TRUTH, "ME's sister", "hasChild"),
    ("Am I married?", Wanted.TRUTH, "ME", "spouse"),
    ("Does Tom like olives?", Wanted.TRUTH, "Tom", "likes"),
    ("Is Tom my boss?", Wanted.TRUTH, "ME", "hasBoss"),
    ("Is my boss Tom?", Wanted.TRUTH, "ME", "hasBoss"),
    ("Am I still working for Airbus?", Wanted.TRUTH, "ME", "worksFor"),
    ("Have I been to Japan?", Wanted.TRUTH, "ME", "visited"),
    ("what am I allergic to?", Wanted.VALUE, "ME", "allergicTo"),
    ("Is there anything I'm allergic to?", Wanted.VALUE, "ME", "allergicTo"),
    ("What languages do I speak?", Wanted.VALUE, "ME", "speaks"),
    ("What sport does my brother Ben play?", Wanted.VALUE, "ME's brother Ben", "plays"),
    ("Since when do I work for Airbus?", Wanted.TIME, "ME", "worksFor"),
    ("When did I move to Lyon?", Wanted.TIME, "ME", "livesIn"),
    ("When did Caroline go to the LGBTQ support group?", Wanted.TIME, "Caroline", "wentTo"),
    ("what year did I graduate", Wanted.TIME, "ME", "graduatedFrom"),
    ("How long have I lived in Lyon?", Wanted.DURATION, "ME", "livesIn"),
    ("Who lives in Lyon?", Wanted.SUBJECT, "", "livesIn"),
    ("Who supports Caroline when she has a negative experience?", Wanted.SUBJECT, "", "supports"),
    ("Why did I move to Lyon?", Wanted.REASON, "ME", "livesIn"),
    ("How did I meet Tom?", Wanted.MANNER, "ME", "meet"),
    ("who did I marry", Wanted.PERSON, "ME", "spouse"),
]


@pytest.mark.parametrize(("text", "wanted", "subject", "predicate"), FORMS)
def test_question_form_gives_slot_subject_and_predicate(
    text: str, wanted: Wanted, subject: str, predicate: str
) -> None:
    question = read(text)
    assert (question.wanted, shown(question.subject)) == (wanted, subject)
    assert predicate in question.predicates[:2]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("tell me about Maya", "Maya"),
        ("What do you know about my sister?", "ME's sister"),
        ("what do you know about me?", "ME"),
        ("What about Tom?", "Tom"),
        ("Do you remember anything about Tom?", "Tom"),
    ],
)
def test_open_question_asks_for_everything(text: str, topic: str) -> None:
    question = read(text)
    assert (question.wanted, shown(question.subject)) == (Wanted.EVERYTHING, topic)


def test_question_of_a_habit_names_it() -> None:
    assert read("Do I smoke?").object == QuestionTerm("smoking")


@pytest.mark.parametrize(
    ("text", "is_past"),
    [
        ("Where did I live before?", True),
        ("Where did I use to live?", True),
        ("What was my old job?", True),
        ("Where was I living before I moved to Lyon?", True),
        ("Which city did I live in before Lyon?", True),
        ("Where do I live?", False),
        ("When did I move to Lyon?", False),
        ("Who is my oldest friend?", False),
    ],
)
def test_question_about_former_times_is_told_apart(text: str, is_past: bool) -> None:
    assert read(text).is_past is is_past


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Do I live in Lyon?", "Lyon"),
        ("Is Maya a nurse?", "nurse"),
        ("Am I vegetarian?", "vegetarian"),
        ("Am I allergic to shellfish?", "shellfish"),
        ("Is Tom my boss?", "Tom"),
        ("Has Maya ever visited Rome?", "Rome"),
        ("Where do I live?", ""),
    ],
)
def test_question_keeps_what_it_gives(text: str, given: str) -> None:
    mention = read(text).object
    assert (mention.text if mention else "") == given


@pytest.mark.parametrize(
    ("text", "time"),
    [("Where did I live in 2019?", "in 2019"), ("What did I buy last week?", "last week"), ("Did I meet May?", "")],
)
def test_question_keeps_its_date_expression(text: str, time: str) -> None:
    assert read(text).time == time


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("Do you know where I live?", "where I live"),
        ("hey, can you remind me what my job is, please?", "what my job is"),
        ("I forgot where Maya works", "where Maya works"),
        ("wheres my office", "where's my office"),
    ],
)
def test_wrapping_is_taken_off(text: str, inner: str) -> None:
    assert unwrapped(text).text.rstrip("?") == inner


@settings(max_examples=60)
@given(st.text(max_size=120))
def test_any_text_is_read_without_error(text: str) -> None:
    assert read(text + "?").text == text + "?"
