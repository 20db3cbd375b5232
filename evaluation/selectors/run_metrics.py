"""Reads which figures runs have, and which of them leads."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.models import EvaluationRun, ItemScore, ScoreOverride

# A judge's verdict leads where there is one, else the first of these.
LEADING = ("judged", "accuracy", "cs", "mrr")


def metrics_of(runs: Sequence[EvaluationRun]) -> list[str]:
    """Return the figures that items of runs have: the leading one first, the others by name."""
    ours = {"item__run__in": [run.pk for run in runs]}
    given = ScoreOverride.objects.filter(**ours, value__isnull=False).order_by().values_list("metric", flat=True)
    found = set(ItemScore.objects.filter(**ours).order_by().values_list("metric", flat=True).distinct().union(given))
    judged = [run.identity.get("judge_metric", "") for run in runs]
    first = [name for name in (*judged, *LEADING) if name in found][:1]
    return [*first, *sorted(found.difference(first))]
