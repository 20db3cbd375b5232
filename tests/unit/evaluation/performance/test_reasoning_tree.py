"""The bench of the reasoning tree compares three forms that got the same replies."""

from __future__ import annotations

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.performance import reasoning_tree
from evaluation.performance.catalogue import BENCHES, options_of
from evaluation.performance.reasoning_tree import CONFIG, Taken, measure


def test_bench_counts_calls_and_waits_of_each_form() -> None:
    rows = {(row.name, row.metric): row for row in measure({"latency-ms": 1.0, "repetitions": 1, "quiet": True})}
    # Algorithm 2 expands 1 + 3 + 3 + 3 + 2 states with three proposals and as many scores each.
    calls = 2 * 3 * CONFIG.max_expansions
    counted = {
        ("ours", "calls"): calls,
        ("ours", "waits"): 2 * CONFIG.max_depth,
        ("ours", "same_answer"): 1,
        ("sequential", "calls"): calls,
        ("sequential", "waits"): calls,
        ("plain", "calls"): 1,
        ("plain", "waits"): 1,
        # As printed, the search goes on behind an answer in the third level that nothing surpasses.
        ("printed", "calls"): 66,
        ("printed", "waits"): 10,
        ("early", "calls"): 42,
        ("early", "waits"): 6,
        ("early", "same_answer"): 1,
    }
    assert {key: rows[key].value for key in counted} == counted
    wall = {name: rows[name, "wall_ms"].value for name in ("ours", "sequential", "plain")}
    assert rows["ours", "ratio_to_sequential"].value == wall["ours"] / wall["sequential"]
    assert rows["ours", "ratio_to_plain"].value == wall["ours"] / wall["plain"]
    shares = {name: row.value for (name, metric), row in rows.items() if metric == "shared_prefix_share"}
    assert set(shares) == {"ours", "sequential", "plain", "printed", "early"}
    assert shares["plain"] == 0
    assert shares["ours"] == shares["sequential"]
    assert all(value is not None and 0.5 < value < 1 for name, value in shares.items() if name != "plain")
    assert {row.group for row in rows.values()} == {"1 ms"}


def test_a_search_that_answers_otherwise_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoning_tree, "sequential_taken", lambda model: Taken(1.0, 1, 1, "Another way."))
    with pytest.raises(EvaluationError, match="did not always answer the same"):
        measure({"latency-ms": 0.0, "repetitions": 1, "quiet": True})


def test_its_options_are_those_of_the_command() -> None:
    assert {"latency-ms", "repetitions"} <= set(options_of({"reasoning-tree": BENCHES["reasoning-tree"]}))
