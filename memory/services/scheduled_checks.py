"""Schedules the full consistency checks of spaces."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import DateTimeField, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from memory.models import EditRecord, GraphCheckRecord, PredicateRecord, Space, TripleRecord
from memory.services.checks import graph_check_promise

# One Java after another: a sweep promises a few, the next one the rest.
CHECKS_A_SWEEP = 5


def checks_promise() -> int:
    """Queue a check of each space that is due, at most a few at a time, and return how many were queued."""
    if not settings.DSMART_CHECK_HOURS:
        return 0
    due = spaces_due()[:CHECKS_A_SWEEP]
    return sum(graph_check_promise(space=space) is not None for space in due)


def spaces_due() -> QuerySet[Space]:
    """Return the spaces whose graph changed since their last check, if that check is older than the interval of the settings.

    A space that was never checked is due one interval after it was made.
    """
    long_ago = timezone.now() - timedelta(hours=settings.DSMART_CHECK_HOURS)
    checked = newest(GraphCheckRecord.objects.order_by("-id"), "created_at")
    active = TripleRecord.objects.filter(superseded_at=None).order_by("-id")
    superseded = TripleRecord.objects.filter(superseded_at__isnull=False).order_by("-superseded_at")
    spaces = Space.objects.annotate(checked_at=Coalesce(checked, F("created_at")))
    return (
        spaces.filter(checked_at__lte=long_ago)
        .annotate(
            learnt_at=newest(active, "recorded_at"),
            replaced_at=newest(superseded, "superseded_at"),
            edited_at=newest(EditRecord.objects.order_by("-id"), "created_at"),
            declared_at=newest(PredicateRecord.objects.order_by("-id"), "created_at"),
        )
        .filter(
            Q(learnt_at__gt=F("checked_at"))
            | Q(replaced_at__gt=F("checked_at"))
            | Q(edited_at__gt=F("checked_at"))
            | Q(declared_at__gt=F("checked_at"))
        )
        .order_by("checked_at")
    )


def newest(rows: QuerySet, field: str) -> Subquery:
    return Subquery(rows.filter(space=OuterRef("pk")).values(field)[:1], output_field=DateTimeField())
