"""Reads the log of acts: of one space for its owners, of everything for administrators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from memory.core.csv_lines import csv_line
from memory.models import ActRecord, Space

COLUMNS = ("time", "act", "by", "about", "memory", "details", "address", "request")


@dataclass(frozen=True)
class ActsAsked:
    """Which acts: of a kind, by or about a person of this account name, from one day up to another."""

    kind: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None


def acts_of(space: Space | None, asked: ActsAsked) -> QuerySet[ActRecord]:
    """Return acts in a space, or for None all acts, newest first, with whoever still has an account."""
    found = Q() if space is None else Q(space=space)
    if asked.kind:
        found &= Q(kind=asked.kind)
    if asked.person:
        found &= Q(actor__username=asked.person) | Q(subject__username=asked.person)
    if asked.since is not None:
        found &= Q(created_at__gte=midnight(asked.since))
    if asked.until is not None:
        found &= Q(created_at__lt=midnight(asked.until + timedelta(days=1)))
    return ActRecord.objects.filter(found).select_related("actor", "subject", "space").order_by("-pk")


def acts_csv(acts: QuerySet[ActRecord]) -> Iterator[str]:
    """Yield the lines of a table of acts, read in parts."""
    yield csv_line(COLUMNS)
    for act in acts.iterator(chunk_size=1000):
        yield csv_line(
            [
                *(act.created_at.isoformat(), act.kind, name_of(act, "actor"), name_of(act, "subject")),
                *(act.space_id, act.words, act.address, act.request_id),
            ]
        )


def name_of(act: ActRecord, end: str) -> str:
    """Return the account name of an act's actor or subject: "" where there is none, a number where it was deleted."""
    number, user = getattr(act, f"{end}_id"), getattr(act, end)
    return user.get_username() if user is not None else "" if number is None else f"deleted account {number}"


def midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
