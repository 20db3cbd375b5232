"""Numbers in English words and digits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.core.english.numbers import CARDINAL, COUNT, ORDINAL, in_digits, in_words, is_vague, number_of, ordinal_of


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("zero", 0),
        ("one", 1),
        ("Nineteen", 19),
        ("twenty-five", 25),
        ("ninety nine", 99),
        ("a", 1),
        ("a couple", 2),
        ("a couple of", 2),
        ("a few", 3),
        ("several", 3),
        ("half a dozen", 6),
        ("a dozen", 12),
        ("a hundred", 100),
        ("two hundred and six", 206),
        ("three thousand four hundred", 3400),
        ("two million", 2_000_000),
        ("12", 12),
        ("1,200", 1200),
        ("3k", 3000),
        ("1.5k", 1500),
        ("1.5", None),
        ("twenty-eleven", None),
        ("five six", None),
        ("hundred", None),
        ("and", None),
        ("cats", None),
        ("", None),
    ],
)
def test_words_say_a_number(words: str, number: int | None) -> None:
    assert number_of(words) == number


@pytest.mark.parametrize(
    ("words", "place"),
    [("first", 1), ("twelfth", 12), ("Twentieth", 20), ("twenty-first", 21), ("31st", 31), ("one", None), ("", None)],
)
def test_words_say_a_place_in_an_order(words: str, place: int | None) -> None:
    assert ordinal_of(words) == place


def test_only_spelled_numbers_are_put_in_digits() -> None:
    assert [in_digits(words) for words in ("Twenty-five", "a", "few", "7", "cats")] == ["25", "a", "few", "7", "cats"]


def test_a_count_that_is_none_is_vague() -> None:
    assert [is_vague(words) for words in ("a few", "Several", "a couple of", "three")] == [True, True, False, False]


@given(st.integers(0, 20))
def test_a_small_number_is_read_back_from_its_words(number: int) -> None:
    assert number_of(in_words(number)) == number
    assert re.fullmatch(CARDINAL, in_words(number))
    assert re.fullmatch(COUNT, in_words(number))


@given(st.from_regex(rf"\A{ORDINAL}\Z") | st.from_regex(rf"\A{CARDINAL}\Z"))
def test_what_the_patterns_match_is_a_number(words: str) -> None:
    assert (ordinal_of(words) is None) is not (number_of(words) is None)


@given(st.text(max_size=40))
def test_any_text_says_a_number_or_none(words: str) -> None:
    assert number_of(words) is None or isinstance(number_of(words), int)
    assert ordinal_of(words) is None or isinstance(ordinal_of(words), int)
    assert isinstance(in_digits(words), str)
