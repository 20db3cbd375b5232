"""The related rows to fetch with a triple or a conflict that is shown, and the large columns to leave out."""

from django.db.models import Prefetch, QuerySet

from memory.models import ConflictRecord, TripleRecord

TRIPLE_PARTS = ("subject", "object", "sentence__turn", "superseded_by__subject", "superseded_by__object")
HEAVY = ("sentence__embedding", "sentence__search", "sentence__turn__search")


def with_parts(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord]:
    return rows.select_related(*TRIPLE_PARTS).defer(*HEAVY)


def with_both_sides(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    sides = [f"{side}__{part}" for side in ("old", "new") for part in ("subject", "object", "sentence__turn")]
    heavy = [f"{side}__{part}" for side in ("old", "new") for part in HEAVY]
    return rows.select_related(*sides, "decided_by").defer(*heavy)


def with_sides_and_places(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    """Return the conflicts with both sides and the conversations in which these were said.

    The sides are fetched by queries of their own: one query would join so many tables that planning it takes longer than
    running it.
    """
    parts = ("subject", "object", "sentence__turn__session__conversation")
    sides = TripleRecord.objects.select_related(*parts).defer(*HEAVY)
    both = (Prefetch("old", queryset=sides), Prefetch("new", queryset=sides))
    return rows.select_related("decided_by").prefetch_related(*both)
