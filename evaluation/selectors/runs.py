"""Reads runs: whose they are, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from evaluation.models import EvaluationRun, ItemScore, ItemState, RunItem, RunState, ScoreOverride
from memory.selectors import spaces_of

WINDOW = timedelta(minutes=10)


@dataclass(frozen=True)
class RunProgress:
    """How many items a run has and what became of them; `seconds_left` is None where nothing tells it.

    Cached items are done too. Unscored are items that ended well and have a figure that could not be taken
    and that nobody has given since.
    """

    total: int
    done: int
    failed: int
    cached: int
    unscored: int
    seconds_left: float | None

    @property
    def ended(self) -> int:
        return self.done + self.failed

    @property
    def share(self) -> int:
        """The share of the items that have ended, in whole per cent; 100 only where all have."""
        return 100 * self.ended // self.total if self.total else 0


NOTHING = RunProgress(total=0, done=0, failed=0, cached=0, unscored=0, seconds_left=None)


def runs_of(user: User) -> QuerySet[EvaluationRun]:
    """Return the runs of the spaces that a user is a member of, the newest first."""
    return EvaluationRun.objects.filter(space__in=spaces_of(user).order_by()).order_by("-created_at", "-pk")


def run_progress(run: EvaluationRun) -> RunProgress:
    """Return how far a run is. Its speed is that of the items that ended in the last minutes."""
    return runs_progress([run])[run.pk]


def runs_progress(runs: Sequence[EvaluationRun]) -> dict[int, RunProgress]:
    """Return how far each run is, in one query."""
    given = ScoreOverride.objects.filter(item=OuterRef("item"), metric=OuterRef("metric")).order_by("-pk")
    lacking = ItemScore.objects.annotate(given=Subquery(given.values("value")[:1])).filter(
        item=OuterRef("pk"), value=None, given=None
    )
    now = timezone.now()
    played = Q(is_cached=False, ended_at__gte=now - WINDOW) & Q(ended_at__gte=F("run__started_at"))
    rows: Iterable[Any] = (
        RunItem.objects.filter(run__in=[run.pk for run in runs])
        .order_by()
        .values("run")
        .annotate(
            total=Count("pk"),
            done=Count("pk", filter=Q(state=ItemState.DONE)),
            failed=Count("pk", filter=Q(state=ItemState.FAILED)),
            cached=Count("pk", filter=Q(is_cached=True)),
            unscored=Count("pk", filter=Q(Exists(lacking), state=ItemState.DONE)),
            played=Count("pk", filter=played),
        )
    )
    known = {row.pop("run"): row for row in rows}
    return {run.pk: progress_in(run, now, **known[run.pk]) if run.pk in known else NOTHING for run in runs}


def progress_in(run: EvaluationRun, now: datetime, *, played: int, **counts: int) -> RunProgress:
    left = counts["total"] - counts["done"] - counts["failed"]
    seconds: float | None = None
    if run.state == RunState.DONE or not left:
        seconds = 0.0
    elif played:
        since = max(run.started_at or now, now - WINDOW)
        seconds = left * (now - since).total_seconds() / played
    return RunProgress(**counts, seconds_left=seconds)
