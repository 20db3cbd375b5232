"""What ways of reasoning took, as rows."""

from __future__ import annotations

from evaluation.core.answer_rows import ScoredAnswer
from evaluation.core.chaining_rows import NOT_TOLD, Reasoned, Written, cost_of, reasoned_rows, written_rows
from evaluation.core.report import Row
from memory.core.tracing import CallOutcome, ModelCall

CALL = ModelCall("reflect", "m", CallOutcome.ANSWERED, 5.0, 100, 7)
UNTOLD = ModelCall("reflect", "m", CallOutcome.FAILED, 5.0, error="ModelUnreachable")


def item(name: str, score: float, **took: float | None) -> Reasoned:
    return Reasoned(ScoredAnswer("c", "1", "Who?", "", name, "Ana", "Ana", {"accuracy": score}), took)


def test_calls_and_tokens_are_counted_from_the_trace() -> None:
    assert cost_of([CALL, CALL], seconds=1.5) == {
        "calls": 2,
        "prompt_tokens": 200,
        "completion_tokens": 14,
        "seconds": 1.5,
    }
    assert cost_of([CALL, UNTOLD], seconds=0)["prompt_tokens"] is None
    assert cost_of([], seconds=0) == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0}


def test_what_a_question_took_is_the_mean_of_a_way_over_a_memory() -> None:
    rows = list(
        reasoned_rows(
            [
                item("react/bm25", 1.0, calls=2, prompt_tokens=10),
                item("react/bm25", 0.0, calls=5, prompt_tokens=None, breadth=2),
                item("alone/bm25", 1.0, calls=1),
            ]
        )
    )
    figures = {(row.name, row.metric): row.value for row in rows if row.metric != "accuracy"}
    assert figures == {
        ("react/bm25", "calls"): 3.5,
        ("react/bm25", "prompt_tokens"): None,
        ("react/bm25", "breadth"): 2,
        ("alone/bm25", "calls"): 1,
    }
    assert [row.why for row in rows if row.metric == "prompt_tokens"] == [NOT_TOLD]
    assert {(row.name, row.value) for row in rows if (row.metric, row.group) == ("accuracy", "")} >= {
        ("react/bm25", 0.5),
        ("alone/bm25", 1.0),
    }


def test_writing_has_rows_of_its_own_with_its_failures() -> None:
    rows = list(written_rows([Written("raptor", {"calls": 3}), Written("raptor", {"calls": 1}, "The line is dead.")]))
    assert rows == [
        Row("raptor", "write_calls", 2, unit="calls", n=2),
        Row("raptor", "write_failed", 1, unit="cases", n=2, why="The line is dead."),
    ]
