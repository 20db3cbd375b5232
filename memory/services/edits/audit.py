"""The record of what was changed by hand, and what is left of it once its words are forgotten."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from memory import events
from memory.models import EditRecord, Space
from memory.services.edits.journal import Changes, Journal

SUMMARY_LIMIT = 1000
FORGOTTEN_SUMMARY = "What was changed here has been forgotten since."


class EditRefused(Exception):
    """A change that cannot be made. Its message is a sentence for a person."""


def space_lock(space_id: int) -> None:
    """Make the caller's transaction the only writer of the space's memory; a maintenance commit locks the same row."""
    Space.objects.select_for_update().only("pk").get(pk=space_id)


def edit_write(
    journal: Journal,
    *,
    kind: EditRecord.Kind,
    summary: str,
    by: User | None,
    triples: Iterable[int] = (),
    entities: Iterable[int] = (),
    refused: Iterable[str] = (),
    is_whole: bool = False,
) -> EditRecord:
    """Write down what the journal saw, in the caller's transaction, and tell open pages after it.

    `triples` and `entities` are named by the summary beside what was changed. `refused` are digests of what the person
    ruled out (`refusals`). `is_whole` keeps the edit from being undone once anything new speaks of an entity that it made.
    """
    changes = journal.changes()
    space_id = journal.space_id
    record = EditRecord.objects.create(
        space_id=space_id,
        actor=by,
        kind=kind,
        summary=shortened(summary, SUMMARY_LIMIT),
        undo={
            "changes": changes,
            "about": about(changes, triples=triples, entities=entities),
            "refused": list(refused),
            "is_whole": is_whole,
        },
    )
    transaction.on_commit(lambda: events.memory_changed(space_id=space_id))
    return record


def about(changes: Changes, *, triples: Iterable[int] = (), entities: Iterable[int] = ()) -> dict[str, list[int]]:
    """Return the ids of the triples, entities and rounds whose words an edit holds."""
    named: dict[str, set[int]] = {"triple": set(triples), "entity": set(entities), "round": set()}
    for table, created in changes["created"].items():
        if table in named:
            named[table] |= {row["id"] for row in created}
    for group in changes["changed"]:
        if group["table"] in named:
            named[group["table"]] |= set(group["rows"])
    named["entity"] |= {row["id"] for row in changes["deleted"].get("entity", ())}
    for row in changes["deleted"].get("alias", ()):
        named["round"] |= {row["source_round_id"]} - {None}
        named["entity"].add(row["entity_id"])
    return {table: sorted(ids) for table, ids in named.items()}


def edits_scrub(
    space_id: int, *, triples: Iterable[int] = (), entities: Iterable[int] = (), rounds: Iterable[int] = ()
) -> None:
    """Take the words out of every edit that speaks of what is being forgotten; who changed something when stays.

    What was ruled out stays ruled out: a digest holds no words.
    """
    gone = {"triple": set(triples), "entity": set(entities), "round": set(rounds)}
    rows = EditRecord.objects.filter(space_id=space_id, undo__has_key="about")
    named = [
        pk
        for pk, ids in rows.values_list("pk", "undo__about")
        if any(gone[table].intersection(ids.get(table, ())) for table in gone)
    ]
    for record in EditRecord.objects.filter(pk__in=named):
        record.summary = FORGOTTEN_SUMMARY
        record.undo = {"refused": record.undo.get("refused", [])}
        record.save(update_fields=["summary", "undo"])


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
