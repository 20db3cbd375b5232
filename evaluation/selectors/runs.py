"""Reads runs: whose they are, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluation.models import EvaluationRun, ItemScore, ItemState, RunItem, RunState
from memory.selectors import spaces_of

WINDOW = timedelta(minutes=10)


@dataclass(frozen=True)
class RunProgress:
    """How many items a run has and what became of them; `seconds_left` is None where nothing tells it.

    Cached items are done too. Unscored are items that ended well and have a figure that could not be taken.
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


def runs_of(user: User) -> QuerySet[EvaluationRun]:
    """Return the runs of the spaces that a user is a member of, the newest first."""
    return EvaluationRun.objects.filter(space__in=spaces_of(user).order_by()).order_by("-created_at", "-pk")


def run_progress(run: EvaluationRun) -> RunProgress:
    """Return how far a run is. Its speed is that of the items that ended in the last minutes."""
    lacking = ItemScore.objects.filter(item=OuterRef("pk"), value=None)
    now = timezone.now()
    since = max(run.started_at or now, now - WINDOW)
    counts = RunItem.objects.filter(run=run).aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state=ItemState.DONE)),
        failed=Count("pk", filter=Q(state=ItemState.FAILED)),
        cached=Count("pk", filter=Q(is_cached=True)),
        unscored=Count("pk", filter=Q(Exists(lacking), state=ItemState.DONE)),
        played=Count("pk", filter=Q(is_cached=False, ended_at__gte=since)),
    )
    played = counts.pop("played")
    left = counts["total"] - counts["done"] - counts["failed"]
    seconds: float | None = None
    if run.state == RunState.DONE or not left:
        seconds = 0.0
    elif played:
        seconds = left * (now - since).total_seconds() / played
    return RunProgress(**counts, seconds_left=seconds)
