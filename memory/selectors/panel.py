"""Reads what the margin beside a conversation shows of a space."""

from django.db.models import Prefetch

from memory.models import ConflictRecord, HeldFragmentRecord, MaintenanceState, Round, Space, TripleRecord
from memory.selectors.rows import HEAVY, TRIPLE_PARTS, with_both_sides

SUPERSEDED_SHOWN = 20


def conflicts_recent(space: Space, limit: int = 20) -> list[ConflictRecord]:
    return list(with_both_sides(ConflictRecord.objects.filter(space=space)).order_by("-id")[:limit])


def triples_panel(space: Space, limit: int = 50) -> list[TripleRecord]:
    """Return the newest active triples, then those that were superseded last."""
    rows = TripleRecord.objects.filter(space=space).select_related(*TRIPLE_PARTS).defer(*HEAVY)
    active = rows.filter(superseded_at=None).order_by("-id")[:limit]
    superseded = rows.filter(superseded_at__isnull=False).order_by("-superseded_at", "-id")[:SUPERSEDED_SHOWN]
    return [*active, *superseded]


def held_recent(space: Space, limit: int = 20) -> list[HeldFragmentRecord]:
    """Return held-back fragments, newest first, with the triples that they clash with."""
    against = TripleRecord.objects.select_related("subject", "object")
    held = HeldFragmentRecord.objects.filter(space=space).select_related("sentence__turn")
    held = held.prefetch_related(Prefetch("against", queryset=against))
    return list(held.defer(*HEAVY).order_by("-id")[:limit])


def failed_rounds(space: Space, limit: int = 5) -> list[Round]:
    """Return the rounds whose maintenance failed, newest first."""
    failed = Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED)
    return list(failed.order_by("-id")[:limit])
