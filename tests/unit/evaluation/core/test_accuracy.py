"""Rows of accuracy, names of what a replay makes, and costs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.accuracy import JudgedReply, accuracy_rows
from evaluation.core.costs import first_decile_mean, last_decile_mean, percentile
from evaluation.core.naming import NAME_LIMIT, case_space_name, fitted, session_key


def judged(case: str, category: str, is_right: bool, *, responder: str = "graph", error: str = "") -> JudgedReply:
    return JudgedReply(case, "1", "Q?", category, responder, "A.", is_right, error=error)


def test_rows_are_overall_then_by_category_for_each_responder() -> None:
    replies = [judged("a", "moves", True), judged("b", "moves", False), judged("b", "dates", True)]
    rows = accuracy_rows([*replies, judged("a", "moves", False, responder="base")])
    assert [(row.name, row.group, row.n, row.value) for row in rows] == [
        ("graph", "", 3, pytest.approx(2 / 3)),
        ("graph", "moves", 2, 0.5),
        ("graph", "dates", 1, 1.0),
        ("base", "", 1, 0.0),
        ("base", "moves", 1, 0.0),
    ]
    assert all(row.metric == "accuracy" and row.low <= row.value <= row.high for row in rows)


def test_a_failed_reply_stays_in_the_denominator_and_is_counted() -> None:
    rows = accuracy_rows([judged("a", "", True), judged("b", "", False, error="no answer from the server")])
    assert [(row.metric, row.value, row.n) for row in rows] == [("accuracy", 0.5, 2), ("failed", 1, 2)]
    assert rows[1].why == "no answer from the server"


def test_nothing_but_failures_gives_no_value() -> None:
    accuracy, failed = accuracy_rows([judged("a", "", False, error="wrong key")])
    assert (accuracy.value, accuracy.why) == (None, "wrong key")
    assert failed.value == 1


@given(st.text(max_size=300), st.integers(min_value=20, max_value=200))
def test_fitted_names_keep_to_the_limit_and_apart(text: str, limit: int) -> None:
    assert len(fitted(text, limit)) <= limit
    assert fitted(text, limit) == text or fitted(text + "x", limit) != fitted(text, limit)


def test_names_tell_files_and_cases_apart() -> None:
    assert case_space_name("locomo", "conv-26") == "locomo/conv-26"
    assert len(case_space_name("f" * 100, "c" * 100)) == NAME_LIMIT
    assert session_key("one", "1", "s") != session_key("two", "1", "s")


def test_costs_of_the_first_and_the_last_tenth() -> None:
    costs = [1.0] * 10 + [5.0] * 80 + [3.0] * 10
    assert first_decile_mean(costs) == 1.0
    assert last_decile_mean(costs) == 3.0
    assert first_decile_mean([7.0]) == last_decile_mean([7.0]) == 7.0


def test_percentile_interpolates_and_refuses_nothing() -> None:
    assert percentile([1.0, 2.0, 3.0], 50) == 2.0
    assert percentile([0.0, 10.0], 95) == pytest.approx(9.5)
    with pytest.raises(ValueError, match="none"):
        percentile([], 50)
