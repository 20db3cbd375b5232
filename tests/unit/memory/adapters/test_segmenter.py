"""Sentences and their exact places in the text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.adapters.segmenter import LONGEST_SEGMENT, SyntokSegmenter
from tests.hypothesis_profiles import examples


def sentences(text: str) -> list[str]:
    return [sentence.text for sentence in SyntokSegmenter().segment_many([text])[0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Paris. I work for Airbus.", ["I live in Paris.", "I work for Airbus."]),
        ("i live in paris. i work at airbus.", ["i live in paris.", "i work at airbus."]),
        ("Dr. Smith's here, e.g. now.", ["Dr. Smith's here, e.g. now."]),
        ("Hi! I don't like it... really?", ["Hi!", "I don't like it... really?"]),
        ("one\ntwo\r\nthree", ["one", "two", "three"]),
        ("🎉🎉 Great! ❤️ I moved.", ["🎉🎉 Great!", "❤️ I moved."]),
        ("مرحبا بالعالم. كيف حالك؟", ["مرحبا بالعالم.", "كيف حالك؟"]),
        ("", []),
        ("  \n\t ", []),
    ],
)
def test_text_is_cut_where_sentences_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_batch_keeps_its_order() -> None:
    found = SyntokSegmenter().segment_many(["One. Two.", "", "Three."])
    assert [[sentence.text for sentence in one] for one in found] == [["One.", "Two."], [], ["Three."]]


def test_endless_text_is_cut_between_words() -> None:
    found = sentences("word " * 10_000)
    assert all(len(sentence) <= LONGEST_SEGMENT for sentence in found)
    assert sum(len(sentence.split()) for sentence in found) == 10_000


def test_endless_word_is_cut_all_the_same() -> None:
    found = sentences("x" * (3 * LONGEST_SEGMENT + 1))
    assert "".join(found) == "x" * (3 * LONGEST_SEGMENT + 1)


@settings(max_examples=examples(200))
@given(st.text(alphabet=st.sampled_from("aI .!?\n\r\t🎉אش'\"-’é1`{"), max_size=80))
def test_spans_index_the_text_and_lose_no_word(text: str) -> None:
    found = SyntokSegmenter().segment_many([text])[0]
    assert all(text[one.span.start : one.span.end] == one.text for one in found)
    assert all(left.span.end <= right.span.start for left, right in itertools.pairwise(found))
    assert "".join("".join(one.text.split()) for one in found) == "".join(text.split())
