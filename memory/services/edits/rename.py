"""Renames an entity and edits its other names."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from memory.core.naming import key_of
from memory.models import AliasRecord, EditRecord, EntityRecord, TripleRecord
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.joining import KEY_LIMIT
from memory.services.edits.journal import Journal
from memory.services.edits.refusals import refused_name
from memory.services.edits.stamps import entity_unchanged
from memory.services.edits.wording import quoted, words_checked
from memory.services.entities import LABEL_LIMIT
from memory.services.spaces import space_lock


@transaction.atomic
def entity_rename(
    *,
    entity: EntityRecord,
    by: User,
    label: str | None = None,
    aliases_add: Collection[str] = (),
    aliases_remove: Collection[str] = (),
    seen: str = "",
) -> EntityRecord:
    """Change an entity's label, add names and remove names; the former label stays one of its names.

    A removed name is not given to it again when older or newer words are read. Raises `EditRefused` for a name of another
    entity: those two are to be merged instead.
    """
    to_add = [words_checked(text, what="a name", limit=LABEL_LIMIT) for text in aliases_add]
    to_remove = {key_of(text)[:KEY_LIMIT] for text in aliases_remove}
    name = words_checked(label, what="a name", limit=LABEL_LIMIT) if label is not None else None
    space_lock(entity.space_id)
    entity = EntityRecord.objects.get(pk=entity.pk)
    entity_unchanged(entity, seen, by=by)
    before = entity.label
    if key_of(name or before)[:KEY_LIMIT] in to_remove:
        raise EditRefused("An entity keeps the name that it goes by. Rename it first.")
    journal = Journal(entity.space_id)
    journal.watch("entity", [entity.pk])
    journal.watch("alias", AliasRecord.objects.filter(entity=entity).values_list("pk", flat=True))
    told = []
    if name is not None and name != before:
        label_change(entity, name, journal)
        told.append(f"Renamed {quoted(before)} to {quoted(name)}.")
    added = [text for text in to_add if name_take(entity, text)]
    if added:
        told.append(f"Also called {', '.join(map(quoted, added))}: {quoted(entity.label)}.")
    removed = list(AliasRecord.objects.filter(entity=entity, key__in=to_remove).values_list("text", flat=True))
    if len(removed) != len(to_remove):
        raise EditRefused("One of the names is not a name of this entity. Nothing was changed.")
    if removed:
        AliasRecord.objects.filter(entity=entity, key__in=to_remove).delete()
        told.append(f"Not called {', '.join(map(quoted, removed))}: {quoted(entity.label)}.")
    if told:
        edit_write(
            journal,
            kind=EditRecord.Kind.RENAME,
            summary=" ".join(told),
            by=by,
            entities=[entity.pk],
            refused=[refused_name(entity.space_id, label=entity.label, name=text) for text in removed],
        )
    return entity


def label_change(entity: EntityRecord, label: str, journal: Journal) -> None:
    """Set an entity's label, also where the label is the value of a triple or the object of a `hasName` triple."""
    name_take(entity, label)
    before = key_of(entity.label)[:KEY_LIMIT]
    entity.label = label
    entity.save(update_fields=["label"])
    is_its_name = Q(subject=entity, predicate="hasName", object=None, value_key=before)
    shown = TripleRecord.objects.filter(Q(object=entity) | is_its_name).exclude(value=label)
    rows = list(shown.values_list("pk", flat=True))
    journal.watch("triple", rows)
    TripleRecord.objects.filter(pk__in=rows).update(value=label, value_key=key_of(label)[:KEY_LIMIT])


def name_take(entity: EntityRecord, name: str) -> bool:
    """Give a name to an entity; return False if it has the name already. Raises `EditRefused` if another entity has it."""
    key = key_of(name)[:KEY_LIMIT]
    if not key:
        raise EditRefused("A name needs letters, digits or signs that can be told apart.")
    bearers = AliasRecord.objects.filter(space_id=entity.space_id, key=key).select_related("entity")
    owners = {alias.entity_id: alias.entity for alias in bearers}
    if entity.pk in owners:
        return False
    if owners:
        other = next(iter(owners.values()))
        raise EditRefused(f"{quoted(other.label)} is called so already. Merge the two, or choose another name.")
    AliasRecord.objects.create(space_id=entity.space_id, entity=entity, text=name, key=key)
    return True
