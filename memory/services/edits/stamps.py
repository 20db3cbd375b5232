"""Stops two people from overwriting each other: the second edit is refused with what the first one did.

A form carries a stamp (a hash) of what its reader saw. The edit compares it, under the space's lock, with what is there now.
"""

import hashlib
import json
from collections.abc import Iterable

from django.contrib.auth.models import User

from memory.models import AliasRecord, ConflictRecord, EditRecord, EntityRecord, TripleRecord
from memory.services.accounts import speaker_name
from memory.services.edits.audit import EditRefused
from memory.services.edits.wording import sentence_of_row

NOTHING_OVERWRITTEN = "Nothing was overwritten: look at it as it is now, and decide again."


class EditOutdated(EditRefused):
    """Raised where somebody else changed a thing after the author of this edit had read it."""


def triple_stamp(row: TripleRecord) -> str:
    label = row.object.label if row.object is not None else row.value
    return stamp(row.subject.label, row.predicate, label, row.polarity, row.superseded_at, row.superseded_by_id)


def conflict_stamp(row: ConflictRecord) -> str:
    return stamp(row.decision, row.decided_by_id, triple_stamp(row.old), triple_stamp(row.new))


def entity_stamp(row: EntityRecord, names: Iterable[str]) -> str:
    return stamp(row.label, row.kind, *sorted(names))


def stamp(*parts: object) -> str:
    return hashlib.sha256(json.dumps([str(part) for part in parts]).encode()).hexdigest()[:20]


def triple_unchanged(row: TripleRecord, seen: str, *, by: User | None) -> None:
    """Raise `EditOutdated` if a triple differs from the stamp `seen`; an empty stamp allows any state."""
    if seen and seen != triple_stamp(row):
        raise EditOutdated(f"{changed_by('triple', row, by=by)} {as_it_is(row)} {NOTHING_OVERWRITTEN}")


def conflict_unchanged(row: ConflictRecord, seen: str, *, by: User) -> None:
    if seen and seen != conflict_stamp(row):
        side = row.new if row.new.superseded_at is None else row.old
        raise EditOutdated(f"{changed_by('triple', side, by=by)} {as_it_is(side)} {NOTHING_OVERWRITTEN}")


def entity_unchanged(row: EntityRecord, seen: str, *, by: User) -> None:
    names = list(AliasRecord.objects.filter(entity=row).order_by("pk").values_list("text", flat=True))
    if seen and seen != entity_stamp(row, names):
        called = ", ".join(f"“{name}”" for name in dict.fromkeys([row.label, *names]))
        raise EditOutdated(f"{changed_by('entity', row, by=by)} It is called {called} now. {NOTHING_OVERWRITTEN}")


def changed_by(table: str, row: TripleRecord | EntityRecord, *, by: User | None) -> str:
    """Return a sentence that says who changed a row last and how; without an edit of it, that a dialogue did."""
    edits = EditRecord.objects.filter(space_id=row.space_id, **{f"undo__about__{table}__contains": [row.pk]})
    last = edits.select_related("actor", "undone_by").order_by("-pk").first()
    if last is None:
        return "Something that was said meanwhile changed this."
    actor = last.undone_by if last.undone_at is not None else last.actor
    name = "You" if actor is not None and actor == by else speaker_name(actor) if actor is not None else "Somebody"
    did = "took this back meanwhile" if last.undone_at is not None else "changed this meanwhile"
    return f"{name} {did}: {last.summary}"


def as_it_is(row: TripleRecord) -> str:
    if row.superseded_at is None:
        return f"{sentence_of_row(row)} holds now."
    if row.superseded_by is not None and row.superseded_by.superseded_at is None:
        return f"{sentence_of_row(row.superseded_by)} holds now."
    return f"{sentence_of_row(row)} does not hold any more."
