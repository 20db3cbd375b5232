"""The bench of backward chaining: what each way takes over the same memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.performance import backward_chaining
from evaluation.performance.backward_chaining import Posts, asked, measure, question_rows
from evaluation.services.chaining import Measured


def test_ways_answer_the_same_within_their_bounds() -> None:
    rows = measure({"latency-ms": 0.0, "repetitions": 1, "quiet": True})
    figures = {(row.name, row.metric, row.group): row.value for row in rows}
    bound = figures["goal_mem", "calls_bound", ""]
    taken = {
        (name, question): tuple(figures[name, metric, f"{question}, 0 ms"] for metric in ("calls", "retrievals"))
        for name in ("goal_mem", "react", "self_reflection")
        for question in backward_chaining.QUESTIONS
    }
    assert taken == {
        ("goal_mem", "one hop"): (3, 1),
        ("goal_mem", "three hops"): (7, 3),
        ("goal_mem", "no answer"): (36, 18),
        ("react", "one hop"): (2, 1),
        ("react", "three hops"): (4, 3),
        ("react", "no answer"): (6, 5),
        ("self_reflection", "one hop"): (2, 1),
        ("self_reflection", "three hops"): (4, 3),
        ("self_reflection", "no answer"): (6, 6),
    }
    assert bound == 37 >= max(calls for calls, _ in taken.values())
    assert all(value <= 60 for (_, metric, _), value in figures.items() if metric == "units")


def test_memory_gives_no_more_than_is_asked_for() -> None:
    found = Posts().retrieve(replace(asked(3), text="parcels of Post 7"), limit=4)
    assert found[0].text == "Post 7 sends its parcels to Post 8."
    assert len({unit.id for unit in found}) == len(found) == 4


@pytest.mark.parametrize("other", [Measured("Post 3", {"seconds": 1.0}), Measured("Post 2", {}, "The line is dead.")])
def test_ways_that_differ_or_fail_are_no_measurement(other: Measured) -> None:
    with pytest.raises(EvaluationError, match=r"Post 3|The line is dead"):
        list(question_rows("", {"goal_mem": [Measured("Post 2", {"seconds": 1.0})], "react": [other]}))
