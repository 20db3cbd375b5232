"""What a learned reader adds to the form of a question: predicates, plans, the subject, and what it is put to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.core.knowledge_graph.question import SPEAKER, GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_reader import read_questions, understood
from memory.core.types import AskedKind, AskedTime, Likely, Span, SubjectPath, WordSpan
from tests.fakes.asked import PLAIN, OneReading
from tests.fakes.language import real_parser

ASKED = GraphQuestion(
    text="what do I take my coffee with", wanted=Wanted.VALUE, subject=SPEAKER, predicates=("takeWith",)
)


def predicates(question: GraphQuestion, *likely: tuple[str, float]) -> tuple[str, ...]:
    return understood(question, replace(PLAIN, predicates=tuple(Likely(*one) for one in likely))).predicates


def test_likely_predicate_answers_where_the_words_name_none_that_is_known() -> None:
    assert predicates(ASKED, ("drinks", 0.4), ("eats", 0.2)) == ("takeWith", "drinks")
    assert predicates(ASKED, ("eats", 0.2)) == ("takeWith",)
    assert predicates(ASKED, ("other", 0.9)) == ("takeWith",)
    assert predicates(ASKED, ("diet", 0.9)) == ("takeWith", "hasQuality")


def test_sure_predicate_comes_before_what_the_words_name() -> None:
    named = replace(ASKED, predicates=("hasGym", "locatedIn", "livesIn"))
    assert predicates(named, ("memberOf", 0.9)) == ("hasGym", "memberOf", "locatedIn", "livesIn")
    assert predicates(named, ("memberOf", 0.6)) == named.predicates


def test_relation_that_the_words_name_is_the_one_that_is_meant() -> None:
    assert predicates(replace(ASKED, predicates=("hasDentist",)), ("hasDoctor", 0.9)) == ("hasDentist",)


@pytest.mark.parametrize("time", [AskedTime.PAST, AskedTime.DATED])
def test_what_happened_once_is_no_state(time: AskedTime) -> None:
    read = replace(PLAIN, time=Likely(time, 0.9), predicates=(Likely("studies", 0.9),))
    assert understood(replace(ASKED, verb="fail"), read).predicates == ("takeWith",)
    assert understood(replace(ASKED, verb="be"), read).predicates == ("takeWith", "studies")


def test_predicate_that_the_ontology_cannot_tell_in_words_is_left_out() -> None:
    assert predicates(ASKED, ("mustHave", 0.9)) == ("takeWith",)


def test_general_relation_is_answered_by_the_particular_ones() -> None:
    assert predicates(ASKED, ("hasChild", 0.9)) == ("takeWith", "hasChild", "hasSon", "hasDaughter")


@pytest.mark.parametrize("wanted", [Wanted.EVERYTHING, Wanted.NAME, Wanted.AGE, Wanted.SUBJECT])
def test_what_is_read_from_its_words_is_given_no_predicate(wanted: Wanted) -> None:
    assert predicates(replace(ASKED, wanted=wanted, predicates=()), ("likes", 0.9)) == ()


def test_what_all_predicates_answer_is_given_no_other_beside_a_known_one() -> None:
    truth = replace(ASKED, wanted=Wanted.TRUTH, predicates=("hasYacht", "owns"))
    assert predicates(truth, ("drives", 0.9)) == truth.predicates
    assert predicates(replace(truth, predicates=("hasYacht",)), ("drives", 0.9)) == ("hasYacht", "drives")
    assert predicates(replace(ASKED, is_negative=True, predicates=("likes",)), ("dislikes", 0.9)) == ("likes",)


def test_plans_are_asked_for_unless_former_times_are() -> None:
    ahead = replace(PLAIN, time=Likely(AskedTime.FUTURE, 0.6))
    assert understood(ASKED, ahead).is_future
    assert not understood(replace(ASKED, is_past=True), ahead).is_future
    assert not understood(ASKED, PLAIN).is_future


def test_question_counts_as_one_to_the_memory_unless_it_surely_is_none() -> None:
    world = replace(PLAIN, kind=Likely(AskedKind.WORLD, 0.95))
    assert understood(ASKED, world).kind is AskedKind.WORLD
    assert understood(ASKED, replace(world, kind=Likely(AskedKind.WORLD, 0.6))).kind is AskedKind.MEMORY


def test_subject_is_the_readers_where_the_form_shows_none() -> None:
    path = SubjectPath(WordSpan("Lakshmi", Span(8, 15)), ("hasSister",))
    found = replace(PLAIN, subject=Likely(path, 0.9))
    lost = replace(ASKED, subject=None)
    assert understood(lost, found).subject == QuestionTerm("sister", owner=QuestionTerm("Lakshmi"))
    assert understood(lost, PLAIN).subject == SPEAKER
    nameless = SubjectPath(None, ("other",))
    assert understood(lost, replace(PLAIN, subject=Likely(nameless, 0.9))).subject is None
    assert understood(lost, replace(PLAIN, subject=Likely(path, 0.5))).subject is None
    assert understood(replace(lost, wanted=Wanted.SUBJECT), found).subject is None
    assert understood(ASKED, found).subject == SPEAKER


def test_reader_is_asked_beside_the_form() -> None:
    reader = OneReading(replace(PLAIN, predicates=(Likely("memberOf", 0.9),)))
    [plain] = read_questions(["Which gym do I go to?"], parser=real_parser())
    [read] = read_questions(["Which gym do I go to?"], parser=real_parser(), reader=reader)
    assert "memberOf" not in plain.predicates
    assert "memberOf" in read.predicates
    assert replace(read, predicates=plain.predicates) == plain
    assert read_questions([], parser=real_parser(), reader=reader) == []
