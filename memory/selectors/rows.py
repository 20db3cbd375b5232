"""The rows that a shown triple or conflict needs beside itself, and the columns that none of them shows."""

from __future__ import annotations

from django.db.models import QuerySet

from memory.models import ConflictRecord, TripleRecord

TRIPLE_PARTS = ("subject", "object", "sentence__turn", "superseded_by__subject", "superseded_by__object")
HEAVY = ("sentence__embedding", "sentence__search", "sentence__turn__search")


def with_parts(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord]:
    return rows.select_related(*TRIPLE_PARTS).defer(*HEAVY)


def with_both_sides(rows: QuerySet[ConflictRecord]) -> QuerySet[ConflictRecord]:
    sides = [f"{side}__{part}" for side in ("old", "new") for part in ("subject", "object", "sentence__turn")]
    heavy = [f"{side}__{part}" for side in ("old", "new") for part in HEAVY]
    return rows.select_related(*sides, "decided_by").defer(*heavy)
