"""Reads what of projects waits for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count

from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ItemStanding

FINISHED = (ItemStanding.AGREED, ItemStanding.SETTLED)


@dataclass(frozen=True)
class Waiting:
    """How many items there are, finished and in dispute, and how many of them a person can label or settle."""

    total: int
    finished: int
    disputed: int
    to_label: int
    to_settle: int


def waiting_for(user: User, projects: Iterable[AnnotationProject]) -> dict[int, Waiting]:
    """Return what waits for a person in each project, in three queries."""
    closed = {project.pk: project.is_closed for project in projects}
    items = AnnotationItem.objects.filter(project__in=closed, gold__isnull=True)
    there = counted(items.order_by().values_list("project", "standing").annotate(count=Count("pk")))
    said = Annotation.objects.filter(item__in=items, by=user).order_by().values_list("item__project", "item__standing")
    # Who took a label back has still seen the item, and settles it no more than who labelled it.
    seen = counted(said.annotate(count=Count("item", distinct=True)))
    labelled = counted(said.filter(undone_at=None).annotate(count=Count("item", distinct=True)))
    return {
        pk: Waiting(
            total=sum(there[pk, one] for one in ItemStanding if one != ItemStanding.WITHDRAWN),
            finished=sum(there[pk, one] for one in FINISHED),
            disputed=there[pk, ItemStanding.DISPUTED],
            to_label=0 if is_closed else there[pk, ItemStanding.OPEN] - labelled[pk, ItemStanding.OPEN],
            to_settle=there[pk, ItemStanding.DISPUTED] - seen[pk, ItemStanding.DISPUTED],
        )
        for pk, is_closed in closed.items()
    }


def counted(rows: Iterable[tuple[int, str, int]]) -> Counter[tuple[int, str]]:
    return Counter({(project, standing): count for project, standing, count in rows})
