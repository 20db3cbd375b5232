"""Rows of consistency, worked by hand."""

from __future__ import annotations

import pytest

from evaluation.core.consistency_rows import JudgedCase, ReplyOutcome, consistency_rows, contradiction_rows
from evaluation.core.report import Row
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, SpokenTurn, Unscored
from memory.core.types import EntailmentVerdict, Role

REPLY = SpokenTurn(1, "assistant", Role.ASSISTANT, "Words.", ())
FOLLOWS = ScoredTurn(EntailmentVerdict(0.9, 0.1, 0.0))
OPEN = ScoredTurn(EntailmentVerdict(0.2, 0.6, 0.2))
CLASHES = ScoredTurn(EntailmentVerdict(0.0, 0.2, 0.8))
NOTHING = NotScored(Unscored.NO_CLAIM, "It only asks.")


def outcome(case: str, position: int, found: ScoredTurn | NotScored, category: str = "CM") -> ReplyOutcome:
    return ReplyOutcome(case, category, "dialogue", position, REPLY, found)


def value(rows: list[Row], metric: str, group: str = "") -> float | None:
    [row] = [row for row in rows if (row.metric, row.group) == (metric, group)]
    return row.value


def test_figures_of_all_replies_of_positions_and_of_categories():
    rows = consistency_rows(
        "s",
        [
            outcome("a", 1, FOLLOWS),
            outcome("a", 2, NOTHING),
            outcome("b", 1, CLASHES, "TS"),
            outcome("b", 12, OPEN, "TS"),
        ],
    )
    assert value(rows, "cs") == pytest.approx((0.95 + 0.1 + 0.5) / 3)
    assert value(rows, "der") == pytest.approx(1 / 3)
    assert value(rows, "cs", "turn 1") == pytest.approx((0.95 + 0.1) / 2)
    assert value(rows, "cs", "turn 11 and later") == pytest.approx(0.5)
    assert value(rows, "der", "CM") == 1.0 and value(rows, "der", "TS") == 0.0
    assert [value(rows, "label_share", label) for label in ("entailment", "neutral", "contradiction")] == [
        pytest.approx(1 / 3)
    ] * 3


def test_position_without_a_score_says_so_and_reasons_are_counted():
    rows = consistency_rows("s", [outcome("a", 1, FOLLOWS), outcome("a", 2, NOTHING)])
    [row] = [row for row in rows if (row.metric, row.group) == ("cs", "turn 2")]
    assert (row.value, row.n, row.why) == (None, 0, "no turn was scored")
    assert (value(rows, "turns"), value(rows, "turns_not_scored")) == (2, 1)
    [reason] = [row for row in rows if row.group == "no_claim"]
    assert (reason.value, reason.n, reason.why) == (1, 2, "It only asks.")
    assert not [row for row in rows if row.group == "turn 3"]


def judged(*outcomes: tuple[bool, bool, float]) -> list[JudgedCase]:
    return [JudgedCase(str(place), *one) for place, one in enumerate(outcomes)]


def test_found_contradictions_by_hand():
    rows = contradiction_rows(
        "s", judged((True, True, 0.9), (True, False, 0.4), (False, True, 0.6), (False, False, 0.4), (False, False, 0.1))
    )
    assert value(rows, "contradiction_precision") == 0.5
    assert value(rows, "contradiction_recall") == 0.5
    assert value(rows, "contradiction_f1") == 0.5
    # 0.9 wins three times; 0.4 wins once, ties once and loses once.
    assert value(rows, "contradiction_auc") == pytest.approx((3 + 1.5) / 6)


def test_measures_that_cannot_be_taken_say_why():
    rows = contradiction_rows("s", judged((False, False, 0.1)))
    assert [(row.value, bool(row.why)) for row in rows] == [(None, True)] * 4
