"""What is counted over the items of a run: refusals, costs by a table of prices, and figures on audited answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.core.report import Row
from evaluation.core.runs.plan import ANSWERS, RunPlan
from evaluation.models import EvaluationRun, ItemScore, ItemState, RunCase, RunItem
from evaluation.services.runs import run_rows
from evaluation.services.runs.audited import audited_rows
from memory.models import Space

pytestmark = pytest.mark.django_db

ITEMS = [
    ("Where is Ann?", ["Rome"], "In Rome.", 1.0),
    ("How long did it take?", ["six months"], "Five months.", 0.0),
    ("Whose bowl is it?", ["Ann's"], "I don't know.", 0.0),
    ("What is the fish called?", [], "I don't know.", 1.0),
    ("What is the cat called?", [], "Tom.", 0.0),
]


@pytest.fixture
def run() -> EvaluationRun:
    made = EvaluationRun.objects.create(
        space=Space.objects.create(name="team"), name="r", kind=ANSWERS, benchmark="locomo", data_name="locomo.json",
        systems=["graph"], engine="http:x", plan=RunPlan(ANSWERS, ("graph",)).as_json(),
        identity={}, identity_digest="0" * 64,
    )  # fmt: skip
    case = RunCase.objects.create(run=made, index=0, key="a", content={})
    for index, (question, expected, reply, accuracy) in enumerate(ITEMS):
        item = RunItem.objects.create(
            run=made, case=case, index=index, system="graph", key=str(index), question=question, expected=expected,
            reply=reply, cache_key="", state=ItemState.DONE, calls=1, prompt_tokens=1_000, completion_tokens=100,
        )  # fmt: skip
        ItemScore.objects.create(item=item, metric="accuracy", value=accuracy)
    return made


def rows_of(run: EvaluationRun) -> dict[str, Row]:
    return {row.metric: row for row in run_rows(run) if row.name == "graph" and not row.group}


def test_refusals_have_precision_and_recall(run: EvaluationRun) -> None:
    """Two refuse, one of them rightly; two questions cannot be answered."""
    rows = rows_of(run)
    assert [(rows[name].value, rows[name].n) for name in ("abstention_precision", "abstention_recall")] == [
        (0.5, 2),
        (0.5, 2),
    ]
    RunItem.objects.filter(expected=[]).delete()
    assert "abstention_recall" not in rows_of(run)


def test_costs_follow_the_table_of_prices(run: EvaluationRun, settings: Any, tmp_path: Path) -> None:
    assert "cost" not in rows_of(run)
    table = tmp_path / "prices.toml"
    settings.DSMART_PRICES = str(table)
    table.write_text('currency = "EUR"\n[engines."http:x"]\nprompt = 1.0\ncompletion = 10.0\n')
    assert rows_of(run)["cost"] == Row("graph", "cost", 0.002, "EUR", 5, 0.002, 0.002)
    table.write_text('currency = "EUR"\n[engines."http:y"]\nprompt = 1.0\ncompletion = 10.0\n')
    assert rows_of(run)["cost"].value is None
    assert "no price of http:x is known" in rows_of(run)["cost"].why
    table.write_text("currency = ")
    assert "are no TOML" in rows_of(run)["cost"].why


def test_figures_stand_beside_those_on_audited_answers(run: EvaluationRun, tmp_path: Path) -> None:
    """The wrong gold answer is replaced, the question about the wrong person left out."""
    path = tmp_path / "errors.json"
    named = [
        (ITEMS[1], "TEMPORAL_ERROR", "five months"),
        (ITEMS[2], "ATTRIBUTION_ERROR", "Bob's"),
        (ITEMS[0], "WRONG_CITATION", "Rome"),
    ]
    path.write_text(
        json.dumps(
            [
                {"question": item[0], "golden_answer": item[1][0], "error_type": error, "correct_answer": correct}
                for item, error, correct in named
            ]
        )
    )
    rows = audited_rows(run, path)
    assert [(row.name, row.metric, row.value, row.n) for row in rows] == [
        ("graph", "audited_accuracy", 0.75, 4),
        ("audit", "left_out", 1, 5),
        ("audit", "answer_replaced", 1, 5),
    ]
    assert rows_of(run)["accuracy"].value == 0.4


def test_an_audit_of_other_data_is_refused(run: EvaluationRun, tmp_path: Path) -> None:
    path = tmp_path / "errors.json"
    path.write_text('[{"question": "?", "golden_answer": "x", "error_type": "AMBIGUOUS", "correct_answer": "y"}]')
    with pytest.raises(EvaluationError, match=r"errors.json finds nothing wrong with the questions of locomo.json"):
        audited_rows(run, path)
