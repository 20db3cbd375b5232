"""Answers as they are read: every question with a known label or with whole facts, whatever is sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.annotation.answers import answer_read, answers_agree, label_said
from evaluation.core.annotation.catalogue import kind_named, kinds
from evaluation.core.errors import AnnotationRefused
from tests.hypothesis_profiles import examples

VERDICT, SCALES, MESSAGE = (kind_named(name) for name in ("fact_verdict", "human_evaluation", "message_facts"))
FACT = ["me", "livesIn", "Braga", ""]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def facts(*said: Any) -> dict[str, Any]:
    return {"facts": list(said)}


def test_an_answer_of_labels_is_read_in_the_order_of_the_questions():
    said = {"informativeness": "0", "fluency": "2", "coherence": "1"}
    assert list(answer_read(SCALES, said).items()) == [("coherence", "1"), ("fluency", "2"), ("informativeness", "0")]


def test_facts_are_read_without_repeats_and_with_flags_in_order():
    said = facts([" me ", "livesIn", "Braga", "past  neg past"], FACT, ["Me", "livesIn", "braga!", ""])
    assert answer_read(MESSAGE, said) == facts(["me", "livesIn", "Braga", "neg past"], FACT)
    assert answer_read(MESSAGE, facts(["Ann", "other:volunteer at", "☕", ""])) == facts(
        ["Ann", "other:volunteer at", "☕", ""]
    )


def test_no_facts_are_an_answer():
    assert answer_read(MESSAGE, facts()) == facts()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "An answer names verdict with what is said of each, not None."),
        ({}, '"Is the fact borne out?" is not answered yet.'),
        ({"verdict": "maybe"}, "verdict has no label 'maybe'. The labels are true, false, not_enough_information, "),
        ({"verdict": "True"}, "verdict has no label 'True'."),
        ({"verdict": True}, "verdict has no label True."),
        ({"verdict": ["true"]}, "verdict has no label ['true']."),
        ({"verdict": "true", "mood": "good"}, "There is no question 'mood'. The questions are verdict."),
    ],
)
def test_an_answer_that_is_none_is_refused_with_what_is_wrong(said: object, why: str):
    with pytest.raises(AnnotationRefused) as raised:
        answer_read(VERDICT, said)
    assert str(raised.value).startswith(why)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("me livesIn Braga", "facts is a list of facts, empty for none, not 'me livesIn Braga'."),
        ([FACT, "x"], "facts, fact 2: expected subject, predicate, object and flags, found 'x'."),
        ([["me", "livesIn", "Braga"]], "facts, fact 1: expected subject, predicate, object and flags, found ["),
        ([["me", "livesIn", 3, ""]], "facts, fact 1: expected subject, predicate, object and flags, found ["),
        ([["me", "livesIn", " \u200b", ""]], "facts, fact 1 lacks its subject or its object."),
        ([["", "livesIn", "Braga", ""]], "facts, fact 1 lacks its subject or its object."),
        ([["me", "lives in", "Braga", ""]], "facts, fact 1: there is no predicate 'lives in'."),
        ([["me", "other", "Braga", ""]], "facts, fact 1: there is no predicate 'other'."),
        ([["me", "other: ", "Braga", ""]], "facts, fact 1: there is no predicate 'other:'."),
        ([["me", "livesIn:x", "Braga", ""]], "facts, fact 1: there is no predicate 'livesIn:x'."),
        (
            [["me", "livesIn", "Braga", "past gone"]],
            "facts, fact 1: there is no flag 'gone'. The flags are neg, past, ",
        ),
        ([["me", "livesIn", "a\x00b", ""]], "facts, fact 1: This holds characters that are not text."),
        ([["me", "livesIn", "a" * 501, ""]], "facts, fact 1 has a part of more than 500 characters."),
        ([["me", "livesIn", f"B{number}", ""] for number in range(101)], "facts has 101 facts. At most 100 are taken."),
    ],
)
def test_facts_that_are_none_are_refused_with_what_is_wrong(said: object, why: str):
    with pytest.raises(AnnotationRefused) as raised:
        answer_read(MESSAGE, {"facts": said})
    assert str(raised.value).startswith(why)


@settings(max_examples=examples(1_000))
@given(data=json_values, kind=st.sampled_from(list(kinds().values())), is_named=st.booleans())
def test_whatever_is_sent_is_refused_in_a_short_sentence_or_read_to_what_is_read_again(
    data: Any, kind: Any, is_named: bool
):
    said = {question.name: data for question in kind.questions} if is_named else data
    try:
        read = answer_read(kind, said)
    except AnnotationRefused as error:
        why = str(error)
    else:
        why = ""
        assert answer_read(kind, read) == read
    assert len(why) < 400


def test_a_huge_or_deep_answer_is_refused_in_a_short_sentence():
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for said in (deep, "x" * 1_000_000, [["x" * 1_000_000] * 4], {"x" * 1_000_000: 1}):
        with pytest.raises(AnnotationRefused) as raised:
            answer_read(MESSAGE, {"facts": said})
        assert len(str(raised.value)) < 400


def test_answers_agree_where_all_labels_are_the_same():
    assert answers_agree(SCALES, [{"coherence": "1", "fluency": "2", "informativeness": "0"}] * 3)
    assert not answers_agree(
        SCALES,
        [{"coherence": "1", "fluency": "2", "informativeness": one} for one in "001"],
    )
    assert answers_agree(VERDICT, [{"verdict": "true"}])


@pytest.mark.parametrize(
    ("other", "agrees"),
    [
        ([["Me", "livesIn", "braga.", ""]], True),
        ([FACT, FACT], True),
        ([["me", "livesIn", "Braga", "past"]], False),
        ([["me", "comesFrom", "Braga", ""]], False),
        ([FACT, ["me", "speaks", "Portuguese", ""]], False),
        ([], False),
    ],
)
def test_facts_agree_by_their_words_and_flags(other: list[list[str]], agrees: bool):
    assert answers_agree(MESSAGE, [facts(FACT), facts(*other)]) is agrees


def test_marks_without_letters_are_told_apart():
    coffee, tea = facts(["me", "likes", "☕", ""]), facts(["me", "likes", "🍵", ""])
    assert not answers_agree(MESSAGE, [coffee, tea])


def test_the_label_of_facts_is_whether_there_are_any():
    [question] = MESSAGE.questions
    assert [label_said(question, answer) for answer in (facts(), facts(FACT), {})] == ["none", "some", None]
