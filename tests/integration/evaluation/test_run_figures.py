"""What is counted over the items of a run: refusals."""

from __future__ import annotations

import pytest

from evaluation.core.report import Row
from evaluation.core.runs.plan import ANSWERS, RunPlan
from evaluation.models import EvaluationRun, ItemScore, ItemState, RunCase, RunItem
from evaluation.services.runs import run_rows
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
