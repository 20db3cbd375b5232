"""Comparison of systems on the items that both have."""

from __future__ import annotations

import pytest

from evaluation.core.paired import holm, paired_difference
from evaluation.core.report import Row
from evaluation.core.runs.compared import (
    EvidenceWords,
    Side,
    adjusted,
    compared_items,
    compared_row,
    evidence_words,
    rows_by_category,
)
from evaluation.core.runs.metrics import EffectiveScore
from evaluation.core.runs.tables import EMPTY, Chart, ChartRow, category_table, figure_table, turn_chart

ONE, TWO = Side(1, "graph"), Side(2, "graph")


def score(
    side: Side, case: str, key: str, value: float | None, *, category: str = "", repeat: int = 0
) -> EffectiveScore:
    return EffectiveScore(
        run=side.run, item=10 * side.run + int(key), case_key=case, key=key, system=side.system, repeat=repeat,
        category=category, position=1, metric="accuracy", value=value, measured=value, is_overridden=False, has_failed=False,
    )  # fmt: skip


SCORES = [
    score(ONE, "a", "1", 0.0, category="x"), score(ONE, "a", "2", 1.0, category="y"), score(ONE, "b", "1", 1.0, category="x"),
    score(ONE, "b", "2", None), score(ONE, "c", "1", 1.0),
    score(TWO, "a", "1", 1.0, category="x"), score(TWO, "a", "2", 1.0, category="y"), score(TWO, "b", "1", 0.0, category="x"),
    score(TWO, "b", "2", 1.0),
    score(Side(2, "other"), "a", "1", 0.0),
]  # fmt: skip


def test_items_are_paired_by_case_and_key():
    items = compared_items(SCORES, [ONE, TWO])
    assert [(one.place, one.values, one.items) for one in items] == [
        (("a", "1"), (0.0, 1.0), (11, 21)),
        (("a", "2"), (1.0, 1.0), (12, 22)),
        (("b", "1"), (1.0, 0.0), (11, 21)),
        (("b", "2"), (None, 1.0), (12, 22)),
        (("c", "1"), (1.0, None), (11, None)),
    ]
    assert [one.differs for one in items] == [True, False, True, True, True]
    assert [one.change for one in items] == [1.0, 0.0, -1.0, None, None]


def test_score_of_an_item_is_the_mean_of_its_repetitions():
    scores = [score(ONE, "a", "1", value, repeat=place) for place, value in enumerate((1.0, 0.0, None, 1.0))]
    [item] = compared_items(scores, [ONE, TWO])
    assert item.values == (pytest.approx(2 / 3), None)


def test_difference_counts_the_items_that_both_have():
    row = compared_row("accuracy", compared_items(SCORES, [ONE, TWO]))
    expected = paired_difference({"a": [(0.0, 1.0), (1.0, 1.0)], "b": [(1.0, 0.0)]})
    baseline, candidate = row.cells
    assert (baseline.value, baseline.n, baseline.difference) == (0.75, 4, None)
    assert (candidate.value, candidate.n, candidate.difference) == (0.75, 4, expected)


def test_no_pair_is_no_difference():
    items = compared_items([score(ONE, "a", "1", 1.0), score(TWO, "a", "2", 1.0)], [ONE, TWO])
    row = compared_row("accuracy", items)
    assert row.cells[1].difference is None and adjusted([row])[0].cells[1].p_adjusted is None


def test_p_values_of_a_table_are_adjusted_together():
    others = [
        score(side, f"c{case}", "1", float(case < right), category=category)
        for side, right in ((ONE, 0), (TWO, 7))
        for category, cases in (("p", range(8)), ("q", range(8, 16)))
        for case in cases
    ]
    rows = rows_by_category(compared_items([*SCORES, *others], [ONE, TWO]))
    assert [row.name for row in rows] == ["", "p", "q", "x", "y"]
    raw = [cell.difference.p_value for row in rows for cell in row.cells if cell.difference is not None]
    told = [cell.p_adjusted for row in adjusted(rows) for cell in row.cells if cell.difference is not None]
    assert told == holm(raw) == [2 / 2**6, 1.0, None, None]


ROWS = [
    Row("graph", "accuracy", 0.5, "ratio", 4, 0.2, 0.8),
    Row("graph", "accuracy", 0.25, "ratio", 2, group="x"),
    Row("graph", "accuracy", 0.75, "ratio", 2, group="turn 2"),
    Row("base", "accuracy", 1.0, "ratio", 1, group="turn 10"),
    Row("base", "token_f1", 0.3, "ratio", 4),
]


def test_figures_are_systems_by_metrics_with_gaps():
    table = figure_table(ROWS, ["accuracy", "token_f1", "cs"])
    assert table.columns == ("accuracy", "token_f1")
    assert table.lines == (("graph", (ROWS[0], EMPTY)), ("base", (EMPTY, ROWS[4])))


def test_categories_and_turns_are_told_apart():
    assert category_table(ROWS, "accuracy").lines == (("x", (ROWS[1],)),)
    assert category_table(ROWS, "token_f1") is None
    assert turn_chart(ROWS, "accuracy", title="Accuracy by turn") == Chart(
        "by-turn", "Accuracy by turn", "Turn", ("graph", "base"),
        (ChartRow(2, "2", (ROWS[2], EMPTY)), ChartRow(10, "10", (EMPTY, ROWS[3]))),
    )  # fmt: skip
    assert turn_chart(ROWS, "token_f1", title="") is None


def test_evidence_has_its_words_where_the_case_has_them():
    turn = {
        "role": "user",
        "speaker": "Ana",
        "text": "I live in Porto.",
        "said_at": "2024-03-02T18:20:00Z",
        "key": "t1",
    }
    content = {"sessions": [{"key": "s1", "started_at": "2024-03-02T18:20:00Z", "turns": [turn]}]}
    assert evidence_words(content, ["t1", "s1", "t9"], ["t1"]) == [
        EvidenceWords("t1", True, "Ana", "I live in Porto.", "2024-03-02T18:20:00Z"),
        EvidenceWords("s1", True, said_at="2024-03-02T18:20:00Z"),
        EvidenceWords("t9", False),
    ]
    assert evidence_words({"turns": []}, ["t1"], []) == [EvidenceWords("t1", False)]
