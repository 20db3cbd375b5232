"""Rows of entailment, and the model card that is written from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from evaluation.core.entailment_rows import JudgedPair, entailment_rows
from evaluation.core.model_card import entailment_card
from memory.adapters.learning.loop import TrainingConfig
from memory.core.types import EntailmentLabel, EntailmentVerdict

E, N, C = EntailmentLabel.ENTAILMENT, EntailmentLabel.NEUTRAL, EntailmentLabel.CONTRADICTION
SAYS_E, SAYS_N = EntailmentVerdict(0.8, 0.1, 0.1), EntailmentVerdict(0.2, 0.6, 0.2)
JUDGED = [
    JudgedPair("p1", "snli", E, SAYS_E),
    JudgedPair("p1", "snli", C, SAYS_E),
    JudgedPair("p2", "talk", N, SAYS_N),
    JudgedPair("p3", "talk", N, None, error="The hypothesis is too long."),
]


def test_rows_are_of_all_pairs_then_of_each_source() -> None:
    rows = {(row.metric, row.group): row for row in entailment_rows("m", JUDGED)}
    assert {row.name for row in rows.values()} == {"m"}
    assert [rows["accuracy", group].value for group in ("", "snli", "talk")] == [2 / 4, 1 / 2, 1 / 2]
    assert all(row.low <= row.value <= row.high for (metric, _), row in rows.items() if metric == "accuracy")  # type: ignore[operator]
    # In the bin of 0.8: 1.6 against one hit; in that of 0.6: 0.6 against one hit; over three verdicts.
    error = rows["expected_calibration_error", ""]
    assert (error.value, error.n) == (pytest.approx((0.6 + 0.4) / 3), 3)
    assert rows["macro_f1", "snli"].value == pytest.approx((2 / 3 + 0) / 2)
    counts = {metric: row.value for (metric, group), row in rows.items() if not group and "_as_" in metric}
    assert {metric: value for metric, value in counts.items() if value} == {
        "entailment_as_entailment": 1,
        "contradiction_as_entailment": 1,
        "neutral_as_neutral": 1,
    }
    assert len(counts) == 9
    assert rows["neutral_as_neutral", ""].n == 2
    assert (rows["failed", ""].value, rows["failed", "talk"].n) == (1, 2)
    assert ("failed", "snli") not in rows
    assert rows["failed", ""].why == "The hypothesis is too long."


def test_pairs_that_all_failed_have_no_value_and_say_why() -> None:
    (row, of_source) = entailment_rows("m", JUDGED[3:])
    assert (row.metric, row.value, row.n, row.why) == ("accuracy", None, 1, "The hypothesis is too long.")
    assert of_source.group == "talk"


def test_card_tells_what_was_measured() -> None:
    right, unsure = JUDGED[0], EntailmentVerdict(0.5, 0.25, 0.25)
    judged = [*JUDGED[:3], replace(JUDGED[2], expected=C)]
    card = entailment_card(
        command="manage.py train entailment --steps 40",
        is_begun=True,
        config=TrainingConfig(steps=4_000, decay_steps=1_200),
        sources=Counter({"lingnli": 30_000, "mine": 5}),
        weights={"lingnli": 0.4},
        held_out=700,
        held_out_accuracy=0.71234,
        temperature=1.2345,
        agreement=0.995,
        agreement_pairs=500,
        megabytes=24.2,
        before=judged,
        after=[replace(right, verdict=unsure), *judged[1:]],
    )
    assert "| `lingnli` | 30,000 | 0.4 | LingNLI (Parrish et al., 2021) | MIT or unstated |" in card
    assert "| `mine` | 5 | 1.0 | another set | see its publisher |" in card
    assert "It began with the weights of an earlier training" in card
    assert "30,005 labelled pairs" in card
    for figure in (
        "1.234",
        "0.712",
        "99.5 %",
        "24.2 MB",
        "4,000 steps",
        "1,200;",
        "manage.py train entailment --steps 40",
    ):
        assert figure in card, figure
    # Before: 0.8 + 0.8 against one hit, over 2; after: 0.5 against a hit, and 0.8 against none, over 2.
    assert "| 0.333 | 0.300 | 0.650 |" in card
    assert "| `talk` | neutral | 0 | 1 | 0 |" in card
    assert "| all | contradiction | 1 | 1 | 0 |" in card
    assert "weakest here on `snli` (0.500)" in card
    assert "\n\n\n" not in card
