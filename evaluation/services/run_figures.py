"""The figures of a run for a page: those of an ended run are drawn once, and again when a person has given a score."""

from __future__ import annotations

from django.core.cache import cache
from django.db.models import Max

from evaluation.core.report import Row
from evaluation.models import EvaluationRun, RunState, ScoreOverride
from evaluation.services.runs import run_rows

KEPT_S = 60 * 60


def run_figures(run: EvaluationRun) -> list[Row]:
    """Return the rows of a run as `run_rows` gives them."""
    if run.state != RunState.DONE:
        return run_rows(run)
    latest = ScoreOverride.objects.filter(item__run=run).aggregate(latest=Max("pk"))["latest"]
    key = f"run-figures-{run.pk}-{run.identity_digest[:12]}-{latest}"
    rows: list[Row] | None = cache.get(key)
    if rows is None:
        rows = run_rows(run)
        cache.set(key, rows, KEPT_S)
    return rows
