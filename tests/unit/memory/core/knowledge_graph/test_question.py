"""What questions ask of the graph: by the reader that ships, and from readings that are given."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_reader import read_questions, term_of, understood
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.types import AskedKind, AskedTime, Likely, ReadQuestion, Span, TermPath, WordSpan
from tests.fakes.asked import PLAIN, OneReading
from tests.fakes.language import real_questions

ASKED = "what do I take my coffee with"


def read(text: str) -> GraphQuestion:
    return read_questions([text], reader=real_questions())[0]


def shown(mention: QuestionTerm | None) -> str:
    """Return a mention in one line: "ME's sister"."""
    if mention is None:
        return ""
    if mention.is_speaker:
        return "ME"
    return (f"{shown(mention.owner)}'s " if mention.owner is not None else "") + mention.text


FORMS = [
    ("whats my name", Wanted.NAME, "ME", "hasName"),
    ("Who is my boss?", Wanted.PERSON, "ME", "hasBoss"),
    ("Do you remember who my boss is?", Wanted.PERSON, "ME", "hasBoss"),
    ("Who is Maya's husband?", Wanted.PERSON, "Maya", "spouse"),
    ("Who is Maya married to?", Wanted.PERSON, "Maya", "spouse"),
    ("How old is Leo?", Wanted.AGE, "Leo", "age"),
    ("What's Leo's age?", Wanted.AGE, "Leo", "age"),
    ("What is my job?", Wanted.VALUE, "ME", "worksAs"),
    ("what do I do for a living?", Wanted.VALUE, "ME", "worksAs"),
    ("what's my sister's job?", Wanted.VALUE, "ME's sister", "worksAs"),
    ("When is my birthday?", Wanted.TIME, "ME", "birthDate"),
    ("When was Leo born?", Wanted.TIME, "Leo", "birthDate"),
    ("Where was my mother born?", Wanted.PLACE, "ME's mother", "bornIn"),
    ("Where does my sister's husband live?", Wanted.PLACE, "ME's sister's husband", "livesIn"),
    ("where do i live", Wanted.PLACE, "ME", "livesIn"),
    ("do you know where I live?", Wanted.PLACE, "ME", "livesIn"),
    ("In which city does my brother live?", Wanted.PLACE, "ME's brother", "livesIn"),
    ("Where is Ana from?", Wanted.PLACE, "Ana", "comesFrom"),
    ("How many siblings do I have?", Wanted.COUNT, "ME", "hasNumberOfSiblings"),
    ("How many dogs do I have?", Wanted.COUNT, "ME", "hasNumberOfDogs"),
    ("Does my sister have kids?", Wanted.TRUTH, "ME's sister", "hasChild"),
    ("Does Tom like olives?", Wanted.TRUTH, "Tom", "likes"),
    ("Am I still working for Airbus?", Wanted.TRUTH, "ME", "worksFor"),
    ("what am I allergic to?", Wanted.VALUE, "ME", "allergicTo"),
    ("What languages do I speak?", Wanted.VALUE, "ME", "speaks"),
    ("How long have I lived in Lyon?", Wanted.DURATION, "ME", "livesIn"),
    ("When did I move to Lyon?", Wanted.TIME, "ME", "livesIn"),
]


def test_nine_plain_questions_in_ten_are_read_whole() -> None:
    wrong = [
        text
        for text, wanted, subject, predicate in FORMS
        if (question := read(text))
        and (question.wanted, shown(question.subject)) != (wanted, subject)
        or predicate not in question.predicates
    ]
    assert len(wrong) <= len(FORMS) // 10, wrong


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("tell me about Maya", "Maya"),
        ("What do you know about my sister?", "ME's sister"),
        ("what do you know about me?", "ME"),
    ],
)
def test_open_question_asks_for_everything(text: str, topic: str) -> None:
    question = read(text)
    assert (question.wanted, shown(question.subject)) == (Wanted.EVERYTHING, topic)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("Does Ana live in Lyon?", "Lyon"),
        ("Is Maya a nurse?", "nurse"),
        ("Am I allergic to shellfish?", "shellfish"),
        ("Has Maya ever visited Rome?", "Rome"),
        ("Where do I live?", ""),
    ],
)
def test_question_keeps_what_it_gives(text: str, given: str) -> None:
    assert shown(read(text).value) == given


@pytest.mark.parametrize(
    ("text", "time"),
    [("Where did I live in 2019?", "in 2019"), ("What did I buy last week?", "last week"), ("Did I meet May?", "")],
)
def test_question_keeps_its_date_expression(text: str, time: str) -> None:
    assert read(text).time == time


@pytest.mark.parametrize(
    ("words", "term"),
    [
        ("me", SPEAKER),
        ("the bakery", QuestionTerm("bakery")),
        ("my bike", QuestionTerm("bike", owner=SPEAKER)),
        ("Ana's dog", QuestionTerm("dog", owner=QuestionTerm("Ana"))),
        ("my sister's dog", QuestionTerm("dog", owner=QuestionTerm("sister", owner=SPEAKER))),
    ],
)
def test_words_name_a_thing_of_its_owner(words: str, term: QuestionTerm) -> None:
    assert term_of(words) == term


def predicates(*likely: tuple[str, float], **changed: object) -> tuple[str, ...]:
    read = replace(PLAIN, predicates=tuple(Likely(*one) for one in likely), **changed)  # type: ignore[arg-type]
    return understood(ASKED, read).predicates


def test_likely_predicates_answer_and_those_that_the_ontology_does_not_know_are_left_out() -> None:
    assert predicates(("drinks", 0.6), ("eats", 0.1)) == ("drinks",)
    assert predicates(("diet", 0.9), ("other", 0.5)) == ("hasQuality",)
    assert predicates(("hasChild", 0.9)) == ("hasChild", "hasSon", "hasDaughter")


def test_favourite_and_number_are_kept_under_the_noun() -> None:
    assert predicates(("hasFavorite", 0.9)) == ("hasFavoriteTake", "hasFavoriteCoffee", "hasFavorite")
    noun = Likely(TermPath(WordSpan("coffees", Span(15, 21))), 0.9)
    assert predicates(("drinks", 0.9), value=noun, form=Likely("how-many", 0.9)) == ("hasNumberOfCoffees", "drinks")


def test_value_that_a_path_leads_to_is_no_words_to_compare_with() -> None:
    path = TermPath(None, ("spouse", "spouse", "worksFor", "worksFor"))
    made = understood("Do I work where my wife works?", replace(PLAIN, value=Likely(path, 0.9)))
    assert made.value is None
    # No firm works for another, and nobody's spouse has a spouse.
    assert made.value_path == TermPath(None, ("spouse", "worksFor"))


def test_somebody_who_is_sought_is_no_subject() -> None:
    anybody = Likely(TermPath(None, ("knows",)), 0.9)
    assert understood("Who lives in Lyon?", replace(PLAIN, subject=anybody)).subject is None


def test_doubted_relation_is_the_noun_that_the_question_owns_to_the_name() -> None:
    path = TermPath(WordSpan("Mirabel", Span(23, 30)), ("worksFor",))
    text = "Where was the owner of Mirabel born?"
    doubted = understood(text, replace(PLAIN, subject=Likely(path, 0.3))).subject
    assert doubted == QuestionTerm("owner", owner=QuestionTerm("Mirabel"))
    sure = understood(text, replace(PLAIN, subject=Likely(path, 0.9))).subject
    assert sure == QuestionTerm("employer", owner=QuestionTerm("Mirabel"))


@pytest.mark.parametrize(
    ("read", "wanted"),
    [
        ({"want": "yes-no"}, Wanted.TRUTH),
        ({"want": "any", "form": "summary"}, Wanted.EVERYTHING),
        ({"want": "any", "form": "who"}, Wanted.IDENTITY),
        ({"want": "manner", "form": "how"}, Wanted.RELATION),
        ({"want": "number", "form": "how-many"}, Wanted.COUNT),
        ({"want": "time", "form": "how-long"}, Wanted.DURATION),
        ({"want": "place", "form": "where"}, Wanted.PLACE),
        ({"want": "thing", "form": "what"}, Wanted.VALUE),
    ],
)
def test_what_is_wanted_follows_from_the_kind_and_the_form(read: dict[str, str], wanted: Wanted) -> None:
    given = {name: Likely(value, 0.9) for name, value in read.items()}
    assert understood(ASKED, replace(PLAIN, **given)).wanted is wanted  # type: ignore[arg-type]


def test_question_counts_as_one_to_the_memory_unless_it_surely_is_none() -> None:
    world = replace(PLAIN, kind=Likely(AskedKind.WORLD, 0.95))
    assert understood(ASKED, world).kind is AskedKind.WORLD
    assert understood(ASKED, replace(world, kind=Likely(AskedKind.WORLD, 0.6))).kind is AskedKind.MEMORY


def test_subject_is_what_the_path_leads_to_and_a_relation_without_a_name_leads_to_nobody() -> None:
    def subject(*relations: str) -> QuestionTerm | None:
        path = TermPath(WordSpan("Lakshmi", Span(8, 15)), relations)
        return understood(ASKED, replace(PLAIN, subject=Likely(path, 0.9))).subject

    assert subject("hasSister") == QuestionTerm("sister", owner=QuestionTerm("Lakshmi"))
    assert subject("hasSister", "other") == QuestionTerm(
        "", owner=QuestionTerm("sister", owner=QuestionTerm("Lakshmi"))
    )
    assert understood(ASKED, PLAIN).subject == SPEAKER


def test_times_are_those_of_the_reader() -> None:
    past: ReadQuestion = replace(PLAIN, time=Likely(AskedTime.PAST, 0.9))
    assert understood(ASKED, past).is_past
    assert not understood(ASKED, PLAIN).is_past


def test_without_a_reader_questions_are_their_words() -> None:
    [question] = read_questions(["Where does Ana live?"], reader=None)
    assert (question.subject, question.predicates, question.wanted) == (None, (), Wanted.VALUE)
    assert read_questions([], reader=OneReading(PLAIN)) == []


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


@settings(max_examples=40)
@given(st.text(max_size=120))
def test_any_text_is_read_without_error(text: str) -> None:
    assert read(text + "?").content is not None
