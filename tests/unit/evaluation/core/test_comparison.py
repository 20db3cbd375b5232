"""A report beside an earlier one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.core.comparison import Comparison, Pair
from evaluation.core.errors import MalformedReport
from evaluation.core.report import Identity, Report, Row

BEFORE = Identity(code="abc", data={"a.jsonl": "00"}, config="11", seed=0, machine="two cores")
NOW = replace(BEFORE, code="def")
P50 = Row("maintenance", "p50_ms", 80.0, unit="ms", n=60, group="1000")
P95 = Row("maintenance", "p95_ms", 100.0, unit="ms", n=60, group="1000")


def test_every_figure_stands_beside_what_it_was() -> None:
    before = Report("bench", BEFORE, [P95, P50])
    now = Report("bench", NOW, [replace(P50, value=40.0), replace(P95, value=125.0)])
    assert Comparison(before, now).as_table().splitlines() == [
        "name         metric  group  before  now  unit  ratio",
        "maintenance  p50_ms  1000       80   40  ms     0.50",
        "maintenance  p95_ms  1000      100  125  ms     1.25",
        "Code: abc before, def now.",
    ]


def test_a_figure_of_another_group_is_another_figure() -> None:
    larger = replace(P50, group="10000")
    pairs = Comparison(Report("bench", BEFORE, [P50]), Report("bench", NOW, [larger])).pairs
    assert pairs == [Pair(None, larger), Pair(P50, None)]


def test_what_only_one_side_measured_is_named() -> None:
    before = Report("bench", BEFORE, [P50, P95])
    now = Report("bench", NOW, [P50, Row("reply", "failed", 2)])
    assert Comparison(before, now).differences == [
        "Measured only before: maintenance p95_ms (1000).",
        "Measured only now: reply failed (all).",
        "Code: abc before, def now.",
    ]


def test_another_machine_data_and_configuration_are_said_plainly() -> None:
    other = Identity(code="abc", data={}, config="22", seed=0, machine="four cores")
    assert Comparison(Report("bench", BEFORE, [P50]), Report("bench", other, [P50])).differences == [
        "The machine differs: two cores before, four cores now.",
        "The data differ: {'a.jsonl': '00'} before, {} now.",
        "The configuration differs: 11 before, 22 now.",
        "Code: abc before, abc now.",
    ]


@pytest.mark.parametrize(
    ("before", "now", "ratio"),
    [(P50, replace(P50, value=0.0), 0.0), (replace(P50, value=0.0), P50, None), (P50, replace(P50, value=None), None)],
)
def test_a_ratio_needs_two_values_and_something_to_divide_by(before: Row, now: Row, ratio: float | None) -> None:
    assert Pair(before, now).ratio == ratio


def test_a_report_that_was_written_is_read_as_it_was() -> None:
    report = Report("bench", BEFORE, [P50, Row("reply", "speed", None, why="no GPU"), Row("reply", "failed", 0)])
    assert Report.from_json(report.as_json()) == report


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"command": "bench", "identity": {"code": "a"}, "rows": []}'])
def test_what_is_no_report_is_refused(text: str) -> None:
    with pytest.raises(MalformedReport, match="no report of a measurement"):
        Report.from_json(text)
