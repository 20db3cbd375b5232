"""The figures of replies, of turns, and the rows and the table of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evaluation.core.report import Identity, Row
from evaluation.core.retrieval import Evidence
from evaluation.core.runs.answers import (
    NO_ANSWER,
    NO_EVIDENCE,
    Figure,
    consistency_figures,
    metrics_of_answer,
    metrics_of_turn,
    reply_figures,
    task_figures,
)
from evaluation.core.runs.metrics import EffectiveScore, ItemCost, Metric, metric_of
from evaluation.core.runs.rows import in_order, item_rows, score_rows
from evaluation.core.runs.tables import RunReport
from evaluation.core.tasks.types import PlayedTurn, Scoring, Task, TaskTurn
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, Unscored
from evaluation.core.types import CaseQuestion
from memory.core.types import EntailmentVerdict

AT = datetime(2024, 3, 2, tzinfo=UTC)
TURNS = Evidence(frozenset({"day 1"}), frozenset({"D1:1", "D1:2"}))


def figures_of(
    reply: str, answers: tuple[str, ...] | None, *, category: str = "", benchmark: str = "jsonl", evidence=TURNS
):
    question = CaseQuestion("1", "Where?", AT, "Ana", answers, forbidden=("Paris",), category=category)
    found = reply_figures(
        reply, question, benchmark=benchmark, evidence=evidence, found_sessions={"day 1"}, found_turns={"D1:1", "D9:9"}
    )
    return {one.metric: one.value if one.value is not None else one.why for one in found}


def test_reply_is_scored_by_the_best_of_the_accepted_answers() -> None:
    assert figures_of("Lyon.", ("Oslo", "Lyon", "in Lyon")) == {
        "accuracy": 1.0, "token_f1": 1.0, "exact_match": 1.0, "evidence_recall": 0.5,
    }  # fmt: skip
    assert figures_of("Lyon, not Paris.", ("Lyon",))["accuracy"] == 0.0


def test_unanswerable_question_is_right_where_it_is_refused() -> None:
    refused = {"accuracy": 1.0, "refused": 1.0, "evidence_recall": 1.0}
    sessions = Evidence(frozenset({"day 1"}))
    assert figures_of("I don't know that.", (), evidence=sessions) == refused
    assert (
        figures_of("I don't know.", ("No",), category="adversarial", benchmark="locomo", evidence=sessions) == refused
    )
    assert figures_of("Lyon.", ())["refused"] == 0.0


def test_locomos_categories_change_the_f1_of_locomo_alone() -> None:
    reply, answers = "Lyon", ("Lyon; since she said so",)
    assert figures_of(reply, answers, category="open-domain", benchmark="locomo")["token_f1"] == 1.0
    assert figures_of(reply, answers, category="open-domain")["token_f1"] == pytest.approx(2 / 6)


def test_what_the_file_does_not_give_is_unscored_with_why() -> None:
    assert figures_of("Lyon.", None, evidence=Evidence(frozenset())) == {
        "accuracy": NO_ANSWER, "evidence_recall": NO_EVIDENCE,
    }  # fmt: skip
    assert metrics_of_answer(None, has_evidence=False) == []
    assert metrics_of_answer([], has_evidence=True) == ["accuracy", "refused", "evidence_recall"]
    assert metrics_of_answer(["a"], has_evidence=False) == ["accuracy", "token_f1", "exact_match"]


def test_turn_has_cs_and_whether_it_is_entailed_or_why_not() -> None:
    assert consistency_figures(ScoredTurn(EntailmentVerdict(0.8, 0.1, 0.1))) == [
        Figure("cs", pytest.approx(0.85)), Figure("entailed", 1.0),
    ]  # fmt: skip
    why = "Nothing was said before."
    assert consistency_figures(NotScored(Unscored.NO_HISTORY, why)) == [
        Figure("cs", None, why), Figure("entailed", None, why),
    ]  # fmt: skip


def test_numeric_task_is_solved_or_not_by_its_last_turn() -> None:
    task = Task("t", "math", Scoring.NUMBER, (TaskTurn("How many?"), TaskTurn("Now?")), number="9")
    played = [PlayedTurn("How many?", "The answer is 9."), PlayedTurn("Now?", "It is as I said.")]
    assert task_figures(task, played) == [[], [Figure("solved", 1.0)]]
    assert task_figures(task, [played[1], played[1]]) == [[], [Figure("solved", 0.0)]]
    assert metrics_of_turn(task, is_last=False) == ("cs", "entailed")
    assert metrics_of_turn(task, is_last=True) == ("cs", "entailed", "solved")


def test_metrics_are_shares_costs_or_qualities() -> None:
    assert metric_of("accuracy") == Metric("accuracy", is_share=True)
    assert metric_of("session_recall@5") == Metric("session_recall@5")
    assert metric_of("total_ms") == Metric("total_ms", "ms", is_cost=True)
    assert metric_of("sessions_in_context@5") == Metric("sessions_in_context@5", "sessions", is_cost=True)


def score(item: int, value: float | None, *, case: str = "a", category: str = "x", position: int = 1, **more):
    metric = more.pop("metric", "accuracy")
    return EffectiveScore(
        1, item, case, str(item), "graph", 0, category, position, metric, value, value, False, False, **more
    )


def test_rows_are_of_all_of_each_category_and_of_each_turn_and_count_what_is_unscored() -> None:
    scores = [
        score(1, 1.0, position=2), score(2, 0.0, case="b", category="y"), score(3, None, why="no answer"), score(4, 1.0),
    ]  # fmt: skip
    found = {(row.metric, row.group): (row.value, row.n, row.why) for row in score_rows(scores, has_positions=True)}
    assert found == {
        ("accuracy", ""): (pytest.approx(2 / 3), 3, ""),
        ("accuracy", "x"): (1.0, 2, ""),
        ("accuracy", "y"): (0.0, 1, ""),
        ("accuracy", "turn 1"): (0.5, 2, ""),
        ("accuracy", "turn 2"): (1.0, 1, ""),
        ("accuracy_unscored", ""): (1, 4, "no answer"),
    }
    assert {row.group for row in score_rows(scores, has_positions=False)} == {"", "x", "y"}


def test_interval_takes_a_case_as_one_cluster() -> None:
    many = [score(place, float(place < 20)) for place in range(40)]
    apart = [score(place, float(place < 20), case=str(place)) for place in range(40)]
    [alone, clustered, free] = [score_rows(some, has_positions=False)[0] for some in (many[:20], many, apart)]
    in_two = score_rows([*many[:20], *(score(9, 0.0, case="b") for _ in range(20))], has_positions=False)[0]
    assert alone.low is not None and clustered.low is not None and free.low is not None and in_two.low is not None
    assert in_two.high - in_two.low > free.high - free.low


def test_costs_are_of_what_ended_well_and_failures_are_counted() -> None:
    items = [
        ItemCost("a", "graph", 100.0, 50.0, 2, 10, 5), ItemCost("a", "graph", 300.0, None, 4, None, None),
        ItemCost("b", "graph", None, None, None, None, None, "It broke."),
    ]  # fmt: skip
    found = {row.metric: (row.value, row.unit, row.n, row.why) for row in item_rows(items)}
    assert found == {
        "items": (3, "items", None, ""),
        "failed": (1, "items", 3, "It broke."),
        "seconds": (pytest.approx(0.2), "s", 2, ""),
        "calls": (3.0, "calls", 2, ""),
        "tokens": (15.0, "tokens", 1, ""),
        "p50_ms": (200.0, "ms", 2, ""),
        "p95_ms": (pytest.approx(290.0), "ms", 2, ""),
        "first_token_p50_ms": (50.0, "ms", 1, ""),
        "first_token_p95_ms": (50.0, "ms", 1, ""),
    }


def test_table_has_a_line_a_system_and_says_what_is_lacking() -> None:
    rows = [
        Row("graph", "accuracy", 0.5, "ratio", 4, 0.2, 0.8), Row("graph", "accuracy", 1.0, "ratio", 2, group="x"),
        Row("graph", "accuracy_unscored", 1, "items", 5, why="no answer"), Row("graph", "seconds", 0.25, "s", 4, 0.2, 0.3),
        Row("graph", "failed", 0, "items", 5), Row("base", "accuracy", None, "ratio", 0, why="It asks a language model."),
    ]  # fmt: skip
    report = RunReport("evaluate run", Identity("c", {}, "d", 0, "m"), in_order(rows, ["graph"]) + rows[-1:])
    assert report.as_table().splitlines() == [
        "system              accuracy               seconds  failed",
        "graph   0.500 [0.200, 0.800]  0.250 [0.200, 0.300]       0",
        "graph, accuracy_unscored: 1. no answer",
        "base, accuracy: It asks a language model.",
    ]
