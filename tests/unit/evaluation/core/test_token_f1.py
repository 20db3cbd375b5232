"""Scoring a short answer by the words that it shares with the expected one."""

from __future__ import annotations

import pytest

from evaluation.core.answer_rows import ScoredAnswer, answer_figures, answer_rows
from evaluation.core.text_metrics import answer_f1, is_exact, normalised, token_f1


def test_articles_case_and_punctuation_do_not_count() -> None:
    assert normalised("The U.S., a cat and an Anthem!") == ["us", "cat", "anthem"]


@pytest.mark.parametrize(
    ("reply", "answer", "f1"),
    [
        ("She painted a sunrise.", "painting of the sunrise", 2 / 3),
        ("7 May 2023", "7 May 2023", 1.0),
        ("dogs dogs dogs", "dog", 2 / 4),
        ("Lyon", "Paris", 0.0),
        ("", "Paris", 0.0),
        ("the", "a", 0.0),
    ],
)
def test_token_f1_is_of_stems(reply: str, answer: str, f1: float) -> None:
    assert token_f1(reply, answer) == pytest.approx(f1)


def test_lists_are_scored_part_by_part() -> None:
    reply, answer = "pottery, camping", "camping, painting, pottery"
    assert answer_f1(reply, answer, category="multi-hop") == pytest.approx(2 / 3)
    assert answer_f1(reply, answer, category="single-hop") == pytest.approx(4 / 5)


def test_open_domain_answers_count_up_to_the_semicolon() -> None:
    reply, answer = "Likely yes", "Likely yes; since she reads"
    assert answer_f1(reply, answer, category="open-domain") == 1.0
    assert answer_f1(reply, answer, category="single-hop") < 1.0
    assert is_exact(reply, answer, category="open-domain")
    assert not is_exact(reply, answer, category="single-hop")


def test_exact_match_has_no_order_and_no_stems() -> None:
    assert is_exact("May 7, 2023", "7 may 2023", category="temporal")
    assert not is_exact("painted", "painting", category="temporal")


def scored(
    number: int, category: str, reply: str, expected: str | None, *, case: str = "one", error: str = ""
) -> ScoredAnswer:
    figures = answer_figures(reply, expected, category=category)
    return ScoredAnswer(case, str(number), "?", category, "graph", expected, reply, figures, error)


ANSWERS = [
    scored(1, "multi-hop", "pottery", "camping, pottery"),
    scored(2, "temporal", "7 May 2023", "7 May 2023", case="two"),
    scored(3, "temporal", "", "8 May 2023", error="no server"),
    scored(4, "adversarial", "I don't know that.", None),
    scored(5, "adversarial", "A dog.", None, case="two"),
]


def test_rows_are_of_what_can_be_answered_then_of_each_category() -> None:
    rows = answer_rows(ANSWERS)
    assert [(row.name, row.metric, row.group, row.value, row.n) for row in rows] == [
        ("graph", "token_f1", "", pytest.approx((0.5 + 1 + 0) / 3), 3),
        ("graph", "exact_match", "", pytest.approx(1 / 3), 3),
        ("graph", "token_f1", "multi-hop", 0.5, 1),
        ("graph", "exact_match", "multi-hop", 0.0, 1),
        ("graph", "token_f1", "temporal", 0.5, 2),
        ("graph", "exact_match", "temporal", 0.5, 2),
        ("graph", "refused", "adversarial", 0.5, 2),
        ("graph", "failed", "", 1, 5),
    ]
    assert rows[-1].why == "no server"
    assert all(row.low is not None and row.low <= row.value <= row.high for row in rows[:-1])  # type: ignore[operator]


def test_group_that_failed_as_a_whole_has_no_value_and_says_why() -> None:
    rows = answer_rows([ANSWERS[2]])
    assert [(row.metric, row.group, row.value, row.n, row.why) for row in rows] == [
        ("token_f1", "", None, 1, "no server"),
        ("exact_match", "", None, 1, "no server"),
        ("token_f1", "temporal", None, 1, "no server"),
        ("exact_match", "temporal", None, 1, "no server"),
        ("failed", "", 1, 1, "no server"),
    ]
