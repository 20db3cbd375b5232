"""Reads of the scores of runs."""

from __future__ import annotations

from django.db.models import Avg

from evaluation.core.errors import UnknownName
from evaluation.models.runs import ItemScore

GPT_SCORE = "gpt_score"


def case_scores(run_id: int, *, metric: str = GPT_SCORE) -> dict[str, float]:
    """Return the mean score of each case of a run. Raises `UnknownName` where it has none by this metric."""
    scored = ItemScore.objects.filter(item__run_id=run_id, metric=metric, value__isnull=False)
    means = dict(scored.values_list("item__case__key").annotate(mean=Avg("value")))
    if not means:
        raise UnknownName(f"The run {run_id} has no {metric}: name a run of `base` that a judge scored.")
    return means
