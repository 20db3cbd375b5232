"""Reads one figure of one system over the runs of a benchmark, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from evaluation.core.interval_rows import grouped
from evaluation.core.report import Row
from evaluation.core.runs.rows import figure_row
from evaluation.models import EvaluationRun, RunState
from evaluation.selectors.item_scores import effective_scores
from evaluation.selectors.runs import runs_of

RUNS_MOST = 30


@dataclass(frozen=True)
class TrendPoint:
    """The figure of a run. `line` says by what engine and on what data: figures of two lines are not of one kind."""

    run: EvaluationRun
    line: str
    row: Row
    is_new_code: bool


def runs_trended(user: User, benchmark: str, system: str) -> list[EvaluationRun]:
    """Return the newest ended runs of a benchmark that measured a system, oldest first; at most `RUNS_MOST`."""
    runs = runs_of(user).filter(benchmark=benchmark, systems__contains=[system], state=RunState.DONE)
    return list(runs.order_by("-pk")[:RUNS_MOST])[::-1]


def trend_points(runs: Sequence[EvaluationRun], system: str, metric: str) -> list[TrendPoint]:
    """Return the figure of each run. Two queries."""
    found = effective_scores([run.pk for run in runs], metric=metric)
    by_run = grouped([one for one in found if one.system == system], lambda one: str(one.run))
    codes = ["", *(str(run.identity.get("code", "")) for run in runs)]
    return [
        TrendPoint(
            run=run,
            line=f"{run.engine}, {run.data_name}",
            row=figure_row(system, metric, by_run.get(str(run.pk), [])),
            is_new_code=before != now,
        )
        for run, before, now in zip(runs, codes, codes[1:], strict=False)
    ]
