"""Reads how far a project is, how far a person is in it, and how right people are on gold checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone

from evaluation.core.annotation.answers import answers_agree
from evaluation.core.annotation.catalogue import kind_named
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ItemStanding

PACE_OF = timedelta(hours=1)
# As long as an answer can be taken back, whether it was right is not told, or it would be told before the label is final.
UNDO_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True)
class ProjectProgress:
    """How many items of a project stand how, gold checks left out, and how many labels are missing."""

    total: int
    open: int
    disputed: int
    agreed: int
    settled: int
    withdrawn: int
    wanted: int


@dataclass(frozen=True)
class GoldAccuracy:
    right: int = 0
    checked: int = 0

    @property
    def share(self) -> float | None:
        return self.right / self.checked if self.checked else None


@dataclass(frozen=True)
class OwnProgress:
    """How many items a person labelled, how many of them in the last hour, and how right they were on gold checks."""

    labelled: int
    last_hour: int
    gold: GoldAccuracy


@dataclass(frozen=True)
class PersonProgress:
    name: str
    labelled: int
    latest: datetime
    gold: GoldAccuracy


def project_progress(project: AnnotationProject) -> ProjectProgress:
    """Return how far a project is, in one query that an index answers alone: `*`, since the index has no ids."""
    rows = (
        AnnotationItem.objects.filter(project=project, gold__isnull=True)
        .order_by()
        .values("standing")
        .annotate(count=Count("*"), wanted=Sum("wants"))
    )
    counts = {row["standing"]: row["count"] for row in rows}
    return ProjectProgress(
        total=sum(counts.values()) - counts.get(ItemStanding.WITHDRAWN, 0),
        wanted=sum(row["wanted"] for row in rows if row["standing"] == ItemStanding.OPEN),
        **{standing.value: counts.get(standing, 0) for standing in ItemStanding},
    )


def own_progress(project: AnnotationProject, user: User) -> OwnProgress:
    now = timezone.now()
    mine = live_labels(project).filter(by=user)
    counts = mine.aggregate(labelled=Count("*"), last_hour=Count("created_at", filter=Q(created_at__gt=now - PACE_OF)))
    return OwnProgress(**counts, gold=golds_right(project, mine).get(user.get_username(), GoldAccuracy()))


def people_progress(project: AnnotationProject) -> list[PersonProgress]:
    """Return how far everybody is who labelled in a project, and how right on gold checks: for curators."""
    live = live_labels(project)
    gold = golds_right(project, live)
    rows = live.order_by("name").values("name").annotate(labelled=Count("*"), latest=Max("created_at"))
    return [PersonProgress(**row, gold=gold.get(row["name"], GoldAccuracy())) for row in rows]


def live_labels(project: AnnotationProject) -> QuerySet[Annotation]:
    """Return the labels of a project that count: by its guidelines, which an index has, so that no item is read."""
    return Annotation.objects.filter(guideline__in=project.guidelines.order_by().values("pk"), undone_at=None)


def golds_of(project: AnnotationProject) -> QuerySet[AnnotationItem]:
    return AnnotationItem.objects.filter(project=project, gold__isnull=False).exclude(standing=ItemStanding.WITHDRAWN)


def golds_right(project: AnnotationProject, labels: QuerySet[Annotation]) -> dict[str, GoldAccuracy]:
    """Return how many gold checks each person labelled as the gold answer says, once that cannot be taken back."""
    kind = kind_named(project.kind)
    rows: Iterable[Any] = labels.filter(
        item__in=golds_of(project), created_at__lt=timezone.now() - UNDO_WITHIN
    ).values_list("name", "answer", "item__gold")
    right: dict[str, list[bool]] = defaultdict(list)
    for name, answer, gold in rows:
        right[name].append(answers_agree(kind, [answer, gold]))
    return {name: GoldAccuracy(sum(said), len(said)) for name, said in right.items()}
