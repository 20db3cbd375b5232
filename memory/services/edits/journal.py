"""Records what an edit does to the rows of a space, by comparing the rows before it with the rows after it.

An edit runs through the same services as everything else, and an undo needs no knowledge of them: it only reverts the rows.
Rows are compared in the edit's own transaction, which holds the space's lock, so nobody else writes them in between. A row
that the edit made is recognised by an id above all ids that existed before. Only rounds are also written without that lock,
when somebody sends a message: an edit tells its journal which rounds it made.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from django.db.models import Max, Model

from memory.models import AliasRecord, ConflictRecord, EntityRecord, PredicateRecord, Round, TripleRecord


class Changes(TypedDict):
    """The rows that were created, changed and deleted, by table; changes are kept field by field.

    A created row carries a digest of its editable fields, which shows whether it is still as it was made.
    """

    created: dict[str, list[dict[str, Any]]]
    changed: list[dict[str, Any]]
    deleted: dict[str, list[dict[str, Any]]]


class Table(NamedTuple):
    model: type[Model]
    fields: tuple[str, ...]


def columns(model: type[Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields if not field.primary_key)


# What a yes to an unsure triple changes; edits of before it was watched have digests without it.
SURENESS = ("modality", "confidence")
TABLES: dict[str, Table] = {
    "round": Table(Round, ()),
    "entity": Table(EntityRecord, columns(EntityRecord)),
    "alias": Table(AliasRecord, columns(AliasRecord)),
    "triple": Table(
        TripleRecord,
        (
            *("subject_id", "object_id", "value", "value_key", "superseded_at", "superseded_by_id", "superseded_in_id"),
            *SURENESS,
        ),
    ),
    "conflict": Table(ConflictRecord, ("decision", "decided_by_id")),
    "predicate": Table(PredicateRecord, ("is_functional", "declared_by_id")),
}

Rows = dict[int, dict[str, Any]]


class Journal:
    """Compares rows of one space before and after an edit."""

    def __init__(self, space_id: int) -> None:
        self.space_id = space_id
        self._last = {name: newest(table.model) for name, table in TABLES.items()}
        self._before: dict[str, Rows] = defaultdict(dict)
        self._rounds: set[int] = set()

    def watch(self, table: str, ids: Iterable[int]) -> None:
        """Remember rows as they are now. Rows that the edit will change or delete must be watched first."""
        self._before[table] |= rows_of(table, set(ids) - self._before[table].keys())

    def rounds_made(self, rounds: Iterable[Round]) -> None:
        """Record that the edit made these rounds."""
        self._rounds |= {round.pk for round in rounds}

    def changes(self) -> Changes:
        """Return what changed since the journal was opened."""
        changes = Changes(created={}, changed=[], deleted={})
        for name, before in self._before.items():
            after = rows_of(name, before)
            changes["changed"] += differences(name, before, after)
            gone = [{"id": pk} | row for pk, row in before.items() if pk not in after]
            if gone:
                changes["deleted"][name] = gone
        for name, table in TABLES.items():
            made = table.model._default_manager.filter(space_id=self.space_id, pk__gt=self._last[name])
            created = rows_of(name, self._rounds if name == "round" else made.values_list("pk", flat=True))
            if created:
                changes["created"][name] = [{"id": pk, "digest": digest_of(row)} for pk, row in created.items()]
        return changes


def newest(model: type[Model]) -> int:
    return int(model._default_manager.aggregate(newest=Max("pk"))["newest"] or 0)


def rows_of(table: str, ids: Iterable[int]) -> Rows:
    """Return the watched fields of rows as JSON values, by id in ascending order."""
    wanted = list(ids)
    if not wanted:
        return {}
    model, fields = TABLES[table]
    rows = model._default_manager.filter(pk__in=wanted).order_by("pk").values("pk", *fields)
    return {row.pop("pk"): {name: plain(value) for name, value in row.items()} for row in rows}


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def differences(table: str, before: Rows, after: Rows) -> list[dict[str, Any]]:
    """Return the changed rows grouped by field, old value and new value."""
    groups: dict[str, dict[str, Any]] = {}
    for pk, row in before.items():
        for field, old in row.items():
            new = after[pk][field] if pk in after else old
            if new != old:
                change = {"table": table, "field": field, "before": old, "after": new}
                groups.setdefault(json.dumps(change), change | {"rows": []})["rows"].append(pk)
    return list(groups.values())


def digest_of(row: dict[str, Any]) -> str:
    digested = {name: value for name, value in row.items() if name not in SURENESS}
    return hashlib.sha256(json.dumps(digested, sort_keys=True).encode()).hexdigest()[:32]
