"""The audit log of edits by hand, and how the words of an edit are removed from it when they are forgotten."""

from collections.abc import Collection, Iterable

from django.contrib.auth.models import User
from django.db import transaction

from memory import events
from memory.models import AliasRecord, EditRecord
from memory.services.edits.journal import Changes, Journal

SUMMARY_LIMIT = 1000
# The tables whose rows hold, or are, words that a summary or an undo may repeat.
SPEAKING = ("triple", "entity", "alias", "round")
FORGOTTEN_SUMMARY = "What was changed here has been forgotten since."


class EditRefused(Exception):
    """Raised where an edit cannot be made. The message is a sentence for the person who asked."""


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
    """Write the changes that the journal saw as one edit, in the caller's transaction; after the commit, notify open pages.

    `triples` and `entities` are those that the summary names besides the changed ones. `refused` are digests of what the
    person ruled out (`refusals`). An `is_whole` edit cannot be undone once something later mentions an entity that it made.
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
            "about": about(changes, space_id=space_id, triples=triples, entities=entities),
            "refused": list(refused),
            "is_whole": is_whole,
        },
    )
    transaction.on_commit(lambda: events.graph_edited.send(sender=None, space_id=space_id), robust=True)
    transaction.on_commit(lambda: events.memory_changed(space_id=space_id))
    return record


def about(
    changes: Changes, *, space_id: int, triples: Iterable[int] = (), entities: Iterable[int] = ()
) -> dict[str, list[int]]:
    """Return the ids, by table, of the triples, entities, names and rounds whose words an edit contains."""
    named: dict[str, set[int]] = {table: set() for table in SPEAKING}
    named["triple"] |= set(triples)
    named["entity"] |= set(entities)
    for table in SPEAKING:
        named[table] |= {row["id"] for row in changes["created"].get(table, ())}
        named[table] |= {row["id"] for row in changes["deleted"].get(table, ())}
        named[table] |= {pk for group in changes["changed"] if group["table"] == table for pk in group["rows"]}
    for row in changes["deleted"].get("alias", ()):
        named["round"] |= {row["source_round_id"]} - {None}
    names = AliasRecord.objects.filter(space_id=space_id, entity_id__in=named["entity"])
    named["alias"] |= set(names.values_list("pk", flat=True))
    return {table: sorted(ids) for table, ids in named.items()}


def edits_scrub(space_id: int, **gone: Collection[int]) -> None:
    """Remove the words from every edit that mentions what is being forgotten, given as ids by table of `SPEAKING`.

    Who made the edit and when stays. What it ruled out stays ruled out, because a digest contains no words.
    """
    rows = EditRecord.objects.filter(space_id=space_id, undo__has_key="about")
    named = [
        pk
        for pk, ids in rows.values_list("pk", "undo__about")
        if any(not set(gone[table]).isdisjoint(ids.get(table, ())) for table in gone)
    ]
    for record in EditRecord.objects.filter(pk__in=named):
        record.summary = FORGOTTEN_SUMMARY
        record.undo = {"refused": record.undo["refused"]}
        record.save(update_fields=["summary", "undo"])


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
