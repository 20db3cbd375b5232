"""Undoes an edit: the rows that it changed get back exactly the values that they had before it."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, Q
from django.utils import timezone

from memory.models import AliasRecord, ConflictRecord, EditRecord, EntityRecord, Round, TripleRecord
from memory.services.edits.audit import EditRefused
from memory.services.edits.journal import TABLES, Changes, digest_of, rows_of
from memory.services.edits.refusals import refused_name
from memory.services.edits.returning import return_check
from memory.services.edits.utterances import emptied_session_delete
from memory.services.forgetting import entities_prune, memory_changed_after_commit
from memory.services.sentence_graph import words_withdraw
from memory.services.spaces import space_lock

# What a row refers to comes back before it.
ORDER_OF_RETURN = ("entity", "alias")


@transaction.atomic
def edit_undo(*, edit: EditRecord, by: User) -> EditRecord:
    """Undo an edit and return it: every row is as it was before, except for the audit log.

    Raises `EditRefused` for an edit that was undone already, for one that cannot be undone (forgetting), where a later edit
    or sentence rests on what it made, and where a later sentence contradicts what would hold again.
    """
    space_lock(edit.space_id)
    edit = EditRecord.objects.get(pk=edit.pk)
    if edit.undone_at is not None:
        raise EditRefused("This was undone already.")
    changes: Changes | None = edit.undo.get("changes")
    if edit.kind == EditRecord.Kind.FORGET:
        raise EditRefused("What was forgotten is gone and cannot be brought back. Say it again instead.")
    if changes is None:
        raise EditRefused("This cannot be undone any more: something that it needs was forgotten.")
    if not is_as_it_was_left(changes) or not is_unused(changes, is_whole=edit.undo.get("is_whole", False)):
        raise EditRefused(reason_against(edit))
    refused = names_ruled_out(edit, changes)
    take_back(changes, space_id=edit.space_id)
    return_check(edit.space_id, by=by, back=held_again(changes), since=edit.created_at)
    edit.undone_at, edit.undone_by = timezone.now(), by
    edit.undo = {"about": edit.undo["about"], "refused": refused}
    edit.save(update_fields=["undone_at", "undone_by", "undo"])
    memory_changed_after_commit(edit.space_id)
    return edit


def is_as_it_was_left(changes: Changes) -> bool:
    """Return whether every row that the edit made or changed still has the values that the edit gave it."""
    left: dict[str, set[int]] = defaultdict(set)
    for group in changes["changed"]:
        left[group["table"]] |= set(group["rows"])
    created = [(table, row) for table in ("triple", "conflict") for row in changes["created"].get(table, [])]
    for table, row in created:
        left[table].add(row["id"])
    rows = {table: rows_of(table, ids) for table, ids in left.items()}
    for group in changes["changed"]:
        now = rows[group["table"]]
        if any(pk not in now or now[pk][group["field"]] != group["after"] for pk in group["rows"]):
            return False
    if any(
        row["id"] not in rows[table] or digest_of(rows[table][row["id"]]) != row["digest"] for table, row in created
    ):
        return False
    return not is_name_given_anew(changes)


def is_name_given_anew(changes: Changes) -> bool:
    """Return whether the undo would restore a name that an entity has been given again meanwhile."""
    back: dict[int, set[str]] = defaultdict(set)
    for row in changes["deleted"].get("alias", ()):
        back[row["entity_id"]].add(row["key"])
    for group in changes["changed"]:
        if (group["table"], group["field"]) == ("alias", "entity_id"):
            back[group["before"]].update(AliasRecord.objects.filter(pk__in=group["rows"]).values_list("key", flat=True))
    given = (AliasRecord.objects.filter(entity_id=entity_id, key__in=keys) for entity_id, keys in back.items())
    return any(names.exists() for names in given)


def is_unused(changes: Changes, *, is_whole: bool) -> bool:
    """Return whether nothing later rests on what the edit made.

    An entity that the edit made may have been mentioned since: the undo then keeps it, unless the edit is `is_whole`.
    """
    made = {table: {row["id"] for row in rows} for table, rows in changes["created"].items()}
    touched = {table: set(made.get(table, ())) for table in TABLES}
    for group in changes["changed"]:
        touched[group["table"]] |= set(group["rows"])
    triples, entities = made.get("triple", set()), made.get("entity", set()) if is_whole else set()
    in_dispute = ConflictRecord.objects.filter(Q(old__in=triples) | Q(new__in=triples))
    replaced = TripleRecord.objects.filter(superseded_by__in=triples).exclude(pk__in=touched["triple"])
    spoken_of = TripleRecord.objects.filter(Q(subject__in=entities) | Q(object__in=entities))
    named = AliasRecord.objects.filter(entity__in=entities)
    rests = (
        in_dispute.exclude(pk__in=touched["conflict"]),
        replaced,
        spoken_of.exclude(pk__in=touched["triple"]),
        named.exclude(pk__in=touched["alias"]),
    )
    return not EditRecord.objects.filter(reduce(or_, map(Exists, rests))).exists()


def reason_against(edit: EditRecord) -> str:
    """Return why an edit cannot be undone now, naming a later edit that must be undone first; empty where it can."""
    mine = {(table, pk) for table, ids in edit.undo["about"].items() for pk in ids}
    later = EditRecord.objects.filter(space_id=edit.space_id, pk__gt=edit.pk, undone_at=None, undo__has_key="changes")
    for summary, named in later.order_by("-pk").values_list("summary", "undo__about"):
        if any((table, pk) in mine for table, ids in named.items() for pk in ids):
            return f"A later change rests on it. Undo that first: {summary}"
    return "What was said or changed since rests on it, so it cannot be undone any more."


def take_back(changes: Changes, *, space_id: int) -> None:
    made = {table: [row["id"] for row in rows] for table, rows in changes["created"].items()}
    ConflictRecord.objects.filter(pk__in=made.get("conflict", [])).delete()
    for table in ORDER_OF_RETURN:
        bring_back(table, changes["deleted"].get(table, []))
    for table, values, ids in values_before(changes):
        model = TABLES[table].model
        model._default_manager.filter(pk__in=ids).update(**native(model, values))
    rounds = made.get("round", [])
    # What a round of the edit taught goes with that round.
    TripleRecord.objects.filter(pk__in=made.get("triple", [])).exclude(round__in=rounds).delete()
    words_withdraw(space_id, round_ids=rounds)
    Round.objects.filter(pk__in=rounds).delete()
    TABLES["predicate"].model._default_manager.filter(pk__in=made.get("predicate", [])).delete()
    emptied_session_delete(space_id)
    entities = set(made.get("entity", []))
    AliasRecord.objects.filter(pk__in=made.get("alias", [])).exclude(entity__in=entities).delete()
    entities_prune(entities)


def held_again(changes: Changes) -> list[int]:
    """Return the ids of the triples that hold again once the edit is undone."""
    back = [group for group in changes["changed"] if (group["table"], group["field"]) == ("triple", "superseded_at")]
    return [pk for group in back if group["before"] is None for pk in group["rows"]]


def values_before(changes: Changes) -> list[tuple[str, dict[str, Any], list[int]]]:
    """Return the values that the changed rows get back, as (table, value by field, ids of the rows that get the same)."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for group in changes["changed"]:
        for pk in group["rows"]:
            rows.setdefault((group["table"], pk), {})[group["field"]] = group["before"]
    alike: dict[str, tuple[str, dict[str, Any], list[int]]] = {}
    for (table, pk), values in rows.items():
        alike.setdefault(json.dumps([table, values], sort_keys=True), (table, values, []))[2].append(pk)
    return list(alike.values())


def bring_back(table: str, rows: list[dict[str, Any]]) -> None:
    """Insert deleted rows with their own ids and times."""
    model, fields = TABLES[table]
    model._default_manager.bulk_create(model(**native(model, row)) for row in rows)
    for row in rows:
        if "created_at" in fields:
            values = native(model, row)
            model._default_manager.filter(pk=row["id"]).update(created_at=values["created_at"])


def native(model: Any, row: dict[str, Any]) -> dict[str, Any]:
    return {name: model._meta.get_field(name).to_python(value) for name, value in row.items()}


def names_ruled_out(edit: EditRecord, changes: Changes) -> list[str]:
    """Return the rulings of an undone merge: the two entities are not joined again because of their names."""
    if edit.kind != EditRecord.Kind.MERGE:
        return []
    keep = EntityRecord.objects.filter(pk__in=edit.undo["about"]["entity"]).first()
    names = {row["label"] for row in changes["deleted"].get("entity", ())}
    if keep is None:
        return []
    return [refused_name(edit.space_id, label=keep.label, name=name) for name in sorted(names)]
