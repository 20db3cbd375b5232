"""The content of items as it is read: the fields of the kind in their forms, bounded, whatever is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.annotation.catalogue import kind_named, kinds
from evaluation.core.annotation.content import content_read
from evaluation.core.annotation.drafts import ItemDraft, draft_read
from evaluation.core.annotation.types import ProjectKind, ShownField, ShownForm
from evaluation.core.errors import AnnotationRefused
from tests.hypothesis_profiles import examples
from tests.unit.evaluation.core.annotation.test_answers import json_values

FACTS = kind_named("fact_verdict")
WHOLE = {
    "fact": "Lisbon lies on the Tagus.",
    "dialogue": [{"speaker": "A", "text": "Where is Lisbon?"}],
    "evidence": [{"title": "Lisbon", "text": "It stands on the Tagus."}, {"title": "", "text": "A river."}],
}


def test_content_is_read_whole_and_in_the_order_of_its_fields():
    read = content_read(FACTS, dict(reversed(WHOLE.items())))
    assert read == WHOLE
    assert list(read) == ["fact", "dialogue", "evidence"]


def test_what_is_empty_and_need_not_be_there_is_left_out():
    said = {"fact": " A. ", "dialogue": [{"speaker": "A", "text": " \u200b"}], "evidence": None}
    assert content_read(FACTS, said) == {"fact": "A."}


def test_pairs_are_texts_by_name():
    kind = ProjectKind("k", "Pairs", "", (), (ShownField("told", "Told", ShownForm.PAIRS),), "")
    assert content_read(kind, {"told": {"Ana": "lives in Rome"}}) == {"told": {"Ana": "lives in Rome"}}
    with pytest.raises(AnnotationRefused, match="told, Ana is a text, not 3"):
        content_read(kind, {"told": {"Ana": 3}})
    with pytest.raises(AnnotationRefused, match="told names at most 300 texts"):
        content_read(kind, {"told": ["Ana"]})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"fact": None}, "The field fact (Fact) is missing or empty."),
        ({"fact": " "}, "The field fact (Fact) is missing or empty."),
        ({"fact": 7}, "fact is a text, not 7."),
        ({"fact": "a" * 20_001}, "fact has 20001 characters. At most 20000 are taken."),
        ({"fact": "a\ud800"}, "This holds characters that are not text."),
        ({"claim": "x"}, "Facts of replies show no 'claim'. The fields are fact, dialogue, evidence."),
        ({"dialogue": "A: Where?"}, "dialogue is a list, not 'A: Where?'."),
        ({"dialogue": ["Where?"]}, "dialogue, part 1: expected speaker and text, found 'Where?'."),
        ({"dialogue": [{"speaker": "A"}]}, "dialogue, part 1: expected speaker and text, found {'speaker': 'A'}."),
        ({"dialogue": [{"speaker": 1, "text": "x"}]}, "dialogue, part 1, speaker is a text, not 1."),
        ({"dialogue": [{"speaker": "A", "text": "x"}] * 301}, "dialogue has 301 parts. At most 300 are taken."),
        ({"evidence": [{"title": "T" * 201, "text": "x"}]}, "evidence, part 1, title has 201 characters."),
        ({"evidence": [{"title": "T", "text": "x", "id": 1}]}, "evidence, part 1: expected title and text, found "),
        ({"evidence": [{"title": "T", "text": "x" * 19_999}] * 11}, "An item shows 220042 characters. At most 200000"),
    ],
)
def test_content_that_does_not_follow_its_form_is_refused_with_the_field(changed: dict[str, Any], why: str):
    with pytest.raises(AnnotationRefused) as raised:
        content_read(FACTS, {**WHOLE, **changed})
    assert str(raised.value).startswith(why)


@settings(max_examples=examples(1_000))
@given(data=json_values, kind=st.sampled_from(list(kinds().values())), is_named=st.booleans())
def test_whatever_is_given_is_refused_in_a_short_sentence_or_read_to_what_is_read_again(
    data: Any, kind: Any, is_named: bool
):
    given = {field.name: data for field in kind.shown} if is_named else data
    try:
        read = content_read(kind, given)
    except AnnotationRefused as error:
        why = str(error)
    else:
        why = ""
        assert content_read(kind, read) == read
    assert len(why) < 500


def test_a_draft_is_read_with_content_and_answers_as_they_are_stored():
    draft = ItemDraft("f1", {"fact": " A. "}, machine={"verdict": "true"}, uncertainty=0.5, source={"run": 3}, turn=7)
    read = ItemDraft("f1", {"fact": "A."}, machine={"verdict": "true"}, uncertainty=0.5, source={"run": 3}, turn=7)
    assert draft_read(FACTS, draft) == read


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"key": " "}, "An item needs a key that tells it from the others of its project."),
        ({"key": "k" * 201}, "The key of an item has at most 200 characters."),
        ({"dataset": "d" * 121}, "The dataset of an item has at most 120 characters."),
        ({"cluster": "a\x00"}, "This holds characters that are not text."),
        ({"source": {"note": "a\x00"}}, "This holds characters that are not text."),
        ({"uncertainty": 1.5}, "The uncertainty of an item is from 0 to 1, not 1.5."),
        ({"disagreement": float("nan")}, "The disagreement of an item is from 0 to 1, not nan."),
        ({"content": {}}, "The field fact (Fact) is missing or empty."),
        ({"machine": {}}, '"Is the fact borne out?" is not answered yet.'),
        ({"gold": {"verdict": "so"}}, "verdict has no label 'so'."),
    ],
)
def test_a_draft_that_cannot_be_stored_is_refused_with_what_is_wrong(changed: dict[str, Any], why: str):
    with pytest.raises(AnnotationRefused) as raised:
        draft_read(FACTS, ItemDraft(**{"key": "f1", "content": WHOLE, **changed}))
    assert str(raised.value).startswith(why)
