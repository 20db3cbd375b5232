"""Rows of retrievers, and of one against another."""

from __future__ import annotations

import pytest

from evaluation.core.report import Row
from evaluation.core.retrieval import QuestionOutcome, paired_differences, retrieval_rows

METRIC = "session_recall@5"


def outcome(retriever: str, case: str, question: str, value: float | None, category: str = "one") -> QuestionOutcome:
    why = {METRIC: "it ranks no sessions"} if value is None else {}
    return QuestionOutcome(retriever, case, question, category, {METRIC: value}, seconds=0.5, why=why)


def found(rows: list[Row], name: str, metric: str = METRIC, group: str = "") -> Row:
    (row,) = [row for row in rows if (row.name, row.metric, row.group) == (name, metric, group)]
    return row


OUTCOMES = [
    outcome("s", "a", "1", 0.0),
    outcome("s", "a", "2", 1.0, "two"),
    outcome("s", "b", "1", 0.5),
    outcome("fused", "a", "1", 1.0),
    outcome("fused", "a", "2", 1.0, "two"),
    outcome("fused", "b", "1", 0.25),
]


def test_each_retriever_has_the_mean_over_all_questions_and_by_category() -> None:
    rows = retrieval_rows(OUTCOMES)
    everything = found(rows, "fused")
    assert (everything.value, everything.n, everything.unit) == (0.75, 3, "ratio")
    assert everything.low is not None
    assert everything.high is not None
    assert everything.low <= 0.75 <= everything.high
    assert (found(rows, "s", group="one").value, found(rows, "s", group="one").n) == (0.25, 2)
    assert found(rows, "s", group="two").value == 1.0
    assert found(rows, "s", "seconds_per_query").value == 0.5


def test_the_others_are_compared_with_the_first_question_by_question() -> None:
    rows = retrieval_rows(OUTCOMES)
    difference = found(rows, "fused against s", f"{METRIC}_difference")
    assert difference.value == pytest.approx((1.0 + 0.0 - 0.25) / 3)
    assert difference.n == 3
    assert not [row for row in rows if row.name == "s against s"]


def test_only_questions_that_both_have_are_compared() -> None:
    assert paired_differences({"a": {"1": 1.0, "2": 0.5}, "c": {"1": 1.0}}, {"a": {"2": 0.25, "3": 0.0}}) == {
        "a": [0.25]
    }


def test_a_figure_that_no_question_has_is_a_row_with_its_reason() -> None:
    rows = retrieval_rows([outcome("s", "a", "1", 1.0), outcome("rmm", "a", "1", None)])
    lacking = found(rows, "rmm")
    assert (lacking.value, lacking.n, lacking.why) == (None, 0, "it ranks no sessions")
    against = found(rows, "rmm against s", f"{METRIC}_difference")
    assert (against.value, against.why) == (None, "it ranks no sessions")


def test_sessions_in_context_are_counted_and_not_compared() -> None:
    outcomes = [
        QuestionOutcome(name, "a", "1", "", {"sessions_in_context@5": 7.0}, seconds=0.1) for name in ("s_f", "s_mfi")
    ]
    rows = retrieval_rows(outcomes)
    assert (found(rows, "s_mfi", "sessions_in_context@5").value, found(rows, "s_f", "sessions_in_context@5").unit) == (
        7.0,
        "sessions",
    )
    assert not [row for row in rows if "against" in row.name]
