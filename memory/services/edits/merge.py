"""Merges two entities into one by hand, and splits one into two."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from memory.core.naming import key_of
from memory.models import AliasRecord, EditRecord, EntityRecord, Space, TripleRecord
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.joining import KEY_LIMIT, entities_join
from memory.services.edits.journal import Journal
from memory.services.edits.refusals import refused_name
from memory.services.edits.rename import name_take
from memory.services.edits.stamps import entity_unchanged
from memory.services.edits.wording import quoted, words_checked
from memory.services.entities import LABEL_LIMIT, kinds_agree
from memory.services.spaces import space_lock


@transaction.atomic
def entities_merge(*, space: Space, keep: EntityRecord, gone: EntityRecord, by: User, seen: str = "") -> EntityRecord:
    """Move all triples and names of `gone` to `keep` and return `keep`; later mentions of either name mean it.

    What both said is kept once; what clashes is settled for what was said last. Raises `EditRefused`, and
    `EntityRecord.DoesNotExist` for an entity that is not in the space (any more).
    """
    if keep.pk == gone.pk:
        raise EditRefused("This is one entity already. Choose another one to merge with it.")
    space_lock(space.pk)
    entities = EntityRecord.objects.filter(space=space)
    keep, gone = entities.get(pk=keep.pk), entities.get(pk=gone.pk)
    entity_unchanged(keep, seen, by=by)
    if not kinds_agree(keep.kind, gone.kind):
        raise EditRefused(
            f"{quoted(keep.label)} is known as {keep.kind} and {quoted(gone.label)} as {gone.kind}: nothing is both. "
            "They stay two."
        )
    journal = Journal(space.pk)
    entities_join(keep=keep, gone=gone, journal=journal)
    edit_write(
        journal,
        kind=EditRecord.Kind.MERGE,
        summary=f"Merged {quoted(gone.label)} into {quoted(keep.label)}.",
        by=by,
        entities=[keep.pk, gone.pk],
    )
    return keep


@transaction.atomic
def entity_split(
    *,
    space: Space,
    entity: EntityRecord,
    label: str,
    by: User,
    triples: Collection[int] = (),
    aliases: Collection[str] = (),
    seen: str = "",
) -> EntityRecord:
    """Create an entity with that label, move chosen triples and names of `entity` to it, and return it.

    Later mentions of those names mean the new entity. Raises `EditRefused`, also for triples and names that are not the
    entity's, and `EntityRecord.DoesNotExist`.
    """
    name = words_checked(label, what="a name for the new one", limit=LABEL_LIMIT)
    space_lock(space.pk)
    entity = EntityRecord.objects.get(space=space, pk=entity.pk)
    entity_unchanged(entity, seen, by=by)
    if key_of(name) == key_of(entity.label):
        raise EditRefused("The new one needs a name of its own. Two of one name could not be told apart.")
    journal = Journal(space.pk)
    taken = names_taken(entity, {key_of(text)[:KEY_LIMIT] for text in aliases}, journal)
    wanted = TripleRecord.objects.filter(Q(subject=entity) | Q(object=entity), space=space, pk__in=set(triples))
    if wanted.count() != len(set(triples)):
        raise EditRefused("One of the facts is not about this entity. Nothing was changed.")
    journal.watch("triple", triples)
    new = EntityRecord.objects.create(space=space, label=name, kind=entity.kind)
    AliasRecord.objects.filter(pk__in=[alias.pk for alias in taken]).update(entity=new)
    moves = list(wanted.values_list("pk", "subject_id", "object_id"))
    TripleRecord.objects.filter(pk__in=[pk for pk, subject, _ in moves if subject == entity.pk]).update(subject=new)
    TripleRecord.objects.filter(pk__in=[pk for pk, _, thing in moves if thing == entity.pk]).update(
        object=new, value=name, value_key=key_of(name)[:KEY_LIMIT]
    )
    own = AliasRecord.objects.filter(entity=entity, key=key_of(name)[:KEY_LIMIT])
    journal.watch("alias", own.values_list("pk", flat=True))
    own.update(entity=new)
    name_take(new, name)
    given = [alias.text for alias in taken] + [name]
    edit_write(
        journal,
        kind=EditRecord.Kind.SPLIT,
        summary=f"Split {quoted(name)} from {quoted(entity.label)}.",
        by=by,
        entities=[entity.pk, new.pk],
        refused=[refused_name(space.pk, label=entity.label, name=text) for text in given],
        is_whole=True,
    )
    return new


def names_taken(entity: EntityRecord, keys: set[str], journal: Journal) -> list[AliasRecord]:
    """Return the names that a split takes from the entity; its label stays with it."""
    if key_of(entity.label)[:KEY_LIMIT] in keys:
        raise EditRefused(f"{quoted(entity.label)} keeps its own name. Choose others of its names.")
    rows = list(AliasRecord.objects.filter(entity=entity, key__in=keys))
    if len(rows) != len(keys):
        raise EditRefused("One of the names is not a name of this entity. Nothing was changed.")
    journal.watch("alias", [row.pk for row in rows])
    return rows
