"""Reads what of projects waits for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Q

from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ItemStanding
from evaluation.selectors.annotation.items import settled_by

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
    """Return what waits for a person in each project, in two queries; an index counts the items alone."""
    closed = {project.pk: project.is_closed for project in projects}
    items = AnnotationItem.objects.filter(project__in=closed, gold__isnull=True)
    there = counted(items.order_by().values_list("project", "standing").annotate(count=Count("*")))
    said = Annotation.objects.filter(by=user, item__project__in=closed, item__gold__isnull=True)
    said = said.filter(Q(item__standing=ItemStanding.DISPUTED) | Q(item__standing=ItemStanding.OPEN, undone_at=None))
    # Who took a label back has still seen the item, and settles it no more than who labelled it.
    said = said.exclude(item__in=items.filter(settled_by(user), standing=ItemStanding.DISPUTED))
    own = counted(
        said.order_by().values_list("item__project", "item__standing").annotate(count=Count("item", distinct=True))
    )
    return {
        pk: Waiting(
            total=sum(there[pk, one] for one in ItemStanding if one != ItemStanding.WITHDRAWN),
            finished=sum(there[pk, one] for one in FINISHED),
            disputed=there[pk, ItemStanding.DISPUTED],
            to_label=0 if is_closed else there[pk, ItemStanding.OPEN] - own[pk, ItemStanding.OPEN],
            to_settle=there[pk, ItemStanding.DISPUTED] - own[pk, ItemStanding.DISPUTED],
        )
        for pk, is_closed in closed.items()
    }


def counted(rows: Iterable[tuple[int, str, int]]) -> Counter[tuple[int, str]]:
    return Counter({(project, standing): count for project, standing, count in rows})
