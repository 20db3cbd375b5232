"""Reads what was done in the annotation of a space."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import QuerySet

from evaluation.models import AnnotationProject, ReviewEvent
from memory.models import Space

UNBLIND = "unblind"


def events_of(space: Space, project: AnnotationProject | None = None) -> QuerySet[ReviewEvent]:
    """Return what was done in a space or in one of its projects, the newest first."""
    rows = ReviewEvent.objects.filter(space=space) if project is None else ReviewEvent.objects.filter(project=project)
    return rows.order_by("-pk")


def is_unblinded(project: AnnotationProject, user: User) -> bool:
    """Return whether a person took labels of open items out, and so cannot label blind any more."""
    return ReviewEvent.objects.filter(project=project, by=user, what=UNBLIND).exists()
