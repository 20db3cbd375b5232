"""When a reply is right."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.answer_match import is_right, states
from evaluation.core.dates import MONTHS, date_of, dates_in
from evaluation.core.folding import contains_words, fold


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("You live in LYON.", "lyon"),
        ("She moved to Zurich", "Zürich"),
        ("It costs $350000.", "$350,000"),
        ("Maya's", "Maya"),
        ("5.3 oz", "5.3"),
        ("Łódź!", "Lodz"),
        ("我住在里昂。", "里昂"),
        ("There are 3.", "3"),
        ("a well-known author", "well known"),
    ],
)
def test_states_ignores_case_accents_and_punctuation(reply: str, answer: str) -> None:
    assert states(reply, answer)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("The mayor of Parish", "Paris"),
        ("53 oz", "5.3"),
        ("New and York", "New York"),
        ("13", "3"),
        ("anything", "?!"),
    ],
)
def test_states_wants_whole_words_next_to_each_other(reply: str, answer: str) -> None:
    assert not states(reply, answer)


@pytest.mark.parametrize(
    "reply",
    [
        "On May 7th, 2023.",
        "2023-05-07",
        "the 7th of May, 2023",
        "Sunday, May 7, 2023",
        "7.5.2023",
        "2023/5/7",
        "It was on 7 may 2023, she said",
        "2023-05-07T10:30:00",
    ],
)
@pytest.mark.parametrize("answer", ["7 May 2023", "May 7, 2023", "2023-05-07"])
def test_states_a_date_in_any_usual_form(reply: str, answer: str) -> None:
    assert states(reply, answer)


@pytest.mark.parametrize(
    ("reply", "answer", "stated"),
    [
        ("07/05/2023", "7 May 2023", False),
        ("07/05/2023", "5 July 2023", False),
        ("13/05/2023", "13 May 2023", True),
        ("05/13/2023", "13 May 2023", True),
        ("05/05/2023", "5 May 2023", True),
        ("17 May 2023", "7 May 2023", False),
        ("7 May 2024", "7 May 2023", False),
        ("May 2023", "7 May 2023", False),
        ("2023-05-17", "May 2023", True),
        ("on 13 August 2023", "August 13", True),
        ("Sept. 3, 2021", "3 September 2021", True),
        ("31/02/2023", "3 February 2023", False),
        ("in 05/2023", "May 2023", True),
        ("June 2022", "2022", True),
    ],
)
def test_states_a_date_in_the_precision_of_the_answer(reply: str, answer: str, stated: bool) -> None:
    assert states(reply, answer) is stated


def test_a_date_is_read_only_once() -> None:
    assert [found.day for found in dates_in("from 7 May 2023 to 9 May 2023")] == [7, 9]


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_date_is_the_same_in_all_forms(day: date) -> None:
    month = MONTHS[day.month - 1].title()
    forms = [
        f"{day.day} {month} {day.year:04}",
        f"{month} {day.day}, {day.year:04}",
        f"{month[:3]} {day.day} {day.year:04}",
        day.isoformat(),
    ]
    assert len({date_of(form) for form in forms}) == 1
    assert date_of(forms[0]) is not None


@given(st.text(max_size=200))
def test_folding_twice_changes_nothing_and_keeps_its_own_words(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert once == "" or contains_words(text, text)


def test_right_needs_one_answer_and_nothing_forbidden() -> None:
    assert is_right("You live in Lyon.", answers=["Lyon", "Villeurbanne"], forbidden=["Paris"])
    assert not is_right("You live in Lyon, before that in Paris.", answers=["Lyon"], forbidden=["Paris"])
    assert not is_right("You live in Nice.", answers=["Lyon"])


def test_right_without_answers_means_not_known() -> None:
    assert is_right("I don't know that yet.", answers=[])
    assert not is_right("You live in Lyon.", answers=[])
    assert not is_right("I don't know. Perhaps Paris.", answers=[], forbidden=["Paris"])
