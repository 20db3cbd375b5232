"""What a person may do to a remembered triple."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memory.core.knowledge_graph.naming import key_of
from memory.core.types import ConflictRule, Node
from memory.models import ConflictRecord, Space, TripleRecord
from memory.services.entities import EntityRegister
from memory.services.forgetting import entities_prune, memory_changed_after_commit
from memory.services.graph import KEY_LIMIT, VALUE_LIMIT


class CorrectionRefused(Exception):
    """A correction that cannot be taken. Its message is a sentence for a person."""


@transaction.atomic
def triple_forget(*, triple: TripleRecord) -> None:
    """Delete a triple; what it had replaced does not come back, because the person asked for less, not for the past."""
    Space.objects.select_for_update().only("pk").get(pk=triple.space_id)
    entity_ids = {end for end in (triple.subject_id, triple.object_id) if end is not None}
    triple.delete()
    entities_prune(entity_ids)
    memory_changed_after_commit(triple.space_id)


@transaction.atomic
def triple_correct(*, triple: TripleRecord, value: str, by: User | None = None) -> TripleRecord:
    """Return the triple that now holds in the place of `triple`: the same statement about another value.

    The old triple is superseded by the person's decision and keeps its history. Raises `CorrectionRefused`.
    """
    words = " ".join(value.split())
    if not words:
        raise CorrectionRefused("Write what is right. To remove the fact, choose forget.")
    if "\0" in words:
        raise CorrectionRefused("The value holds characters that are not text. Write it as plain text.")
    if len(words) > VALUE_LIMIT:
        raise CorrectionRefused(f"A value can have at most {VALUE_LIMIT:,} characters.")
    Space.objects.select_for_update().only("pk").get(pk=triple.space_id)
    old = TripleRecord.objects.select_related("object", "round", "sentence", "subject").get(pk=triple.pk)
    if old.superseded_at is not None:
        raise CorrectionRefused("This fact was replaced meanwhile. Correct the one that replaced it.")
    if key_of(words) == old.value_key:
        return old
    now = timezone.now()
    target = None
    if old.object is not None:
        node = Node(label=words, kind=old.object.kind)
        target = EntityRegister(old.round, [node]).entity_of(node)
    new = TripleRecord.objects.get(pk=old.pk)
    new.pk = None
    new._state.adding = True
    new.object, new.value, new.value_key, new.is_any = target, words, key_of(words)[:KEY_LIMIT], False
    new.recorded_at, new.confidence = now, 1.0
    new.save()
    TripleRecord.objects.filter(pk=old.pk).update(superseded_at=now, superseded_by=new)
    ConflictRecord.objects.create(space_id=old.space_id, old=old, new=new, rule=ConflictRule.CORRECTED, decided_by=by)
    memory_changed_after_commit(old.space_id)
    return new
