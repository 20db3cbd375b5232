"""Reads of memory for pages and the API. Whatever takes a user returns only what the user's spaces hold."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Prefetch, Q, QuerySet

from memory.models import (
    ConflictRecord,
    EntityRecord,
    HeldFragmentRecord,
    MaintenanceState,
    Round,
    SentenceRecord,
    Session,
    Space,
    TripleRecord,
    Turn,
)

TRIPLE_PARTS = ("subject", "object", "sentence__turn", "superseded_by__subject", "superseded_by__object")
HEAVY = ("sentence__embedding", "sentence__search", "sentence__turn__search")

SUPERSEDED_SHOWN = 20


@dataclass(frozen=True)
class SpaceCounts:
    triples: int
    superseded: int
    sentences: int
    entities: int
    rounds_pending: int
    rounds_failed: int


def spaces_of(user: User) -> QuerySet[Space]:
    return Space.objects.filter(memberships__user=user).order_by("id")


def space_of(user: User, space_id: int) -> Space:
    """Return one of the user's spaces; `Space.DoesNotExist` for any other."""
    return spaces_of(user).get(pk=space_id)


def sessions_of(user: User) -> QuerySet[Session]:
    return Session.objects.filter(space__memberships__user=user)


def turns_of(user: User) -> QuerySet[Turn]:
    return Turn.objects.filter(space__memberships__user=user).defer("search")


def rounds_of(user: User) -> QuerySet[Round]:
    return Round.objects.filter(space__memberships__user=user)


def triples_of(user: User) -> QuerySet[TripleRecord]:
    return TripleRecord.objects.filter(space__memberships__user=user).select_related(*TRIPLE_PARTS).defer(*HEAVY)


def triple_of(user: User, triple_id: int) -> TripleRecord:
    return triples_of(user).get(pk=triple_id)


def sentence_of(user: User, sentence_id: int) -> SentenceRecord:
    rows = SentenceRecord.objects.filter(space__memberships__user=user).select_related("turn__session")
    return rows.defer("embedding", "search", "turn__search").get(pk=sentence_id)


def conflicts_of(user: User) -> QuerySet[ConflictRecord]:
    return with_both_sides(ConflictRecord.objects.filter(space__memberships__user=user))


def conflicts_recent(space: Space, limit: int = 20) -> list[ConflictRecord]:
    return list(with_both_sides(ConflictRecord.objects.filter(space=space)).order_by("-id")[:limit])


def triples_panel(space: Space, limit: int = 50) -> list[TripleRecord]:
    """Return what the margin shows: the newest active triples, then those that were superseded last."""
    rows = TripleRecord.objects.filter(space=space).select_related(*TRIPLE_PARTS).defer(*HEAVY)
    active = rows.filter(superseded_at=None).order_by("-id")[:limit]
    superseded = rows.filter(superseded_at__isnull=False).order_by("-superseded_at", "-id")[:SUPERSEDED_SHOWN]
    return [*active, *superseded]


def held_recent(space: Space, limit: int = 20) -> list[HeldFragmentRecord]:
    """Return what was said and could not be taken into the graph, newest first, with what it clashes with."""
    against = TripleRecord.objects.select_related("subject", "object")
    held = HeldFragmentRecord.objects.filter(space=space).select_related("sentence__turn")
    held = held.prefetch_related(Prefetch("against", queryset=against))
    return list(held.defer(*HEAVY).order_by("-id")[:limit])


def failed_rounds(space: Space, limit: int = 5) -> list[Round]:
    """Return the rounds whose maintenance failed, newest first."""
    failed = Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED)
    return list(failed.order_by("-id")[:limit])


def space_counts(space: Space) -> SpaceCounts:
    triples = TripleRecord.objects.filter(space=space).aggregate(
        active=Count("id", filter=Q(superseded_at=None)), superseded=Count("id", filter=Q(superseded_at__isnull=False))
    )
    rounds = Round.objects.filter(space=space).aggregate(
        pending=Count("id", filter=Q(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])),
        failed=Count("id", filter=Q(maintenance=MaintenanceState.FAILED)),
    )
    return SpaceCounts(
        triples=triples["active"],
        superseded=triples["superseded"],
        sentences=SentenceRecord.objects.filter(space=space).count(),
        entities=EntityRecord.objects.filter(space=space).count(),
        rounds_pending=rounds["pending"],
        rounds_failed=rounds["failed"],
    )


def with_both_sides(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    sides = [f"{side}__{part}" for side in ("old", "new") for part in ("subject", "object", "sentence__turn")]
    heavy = [f"{side}__{part}" for side in ("old", "new") for part in HEAVY]
    return rows.select_related(*sides, "decided_by").defer(*heavy)
