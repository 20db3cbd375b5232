"""Joins two entities that turn out to be one, because a person or a sentence says so."""

from django.db.models import Q
from django.utils import timezone

from memory.core.naming import key_of
from memory.core.types import Modality
from memory.models import AliasRecord, EntityRecord, Round, TripleRecord
from memory.services.edits.journal import Journal
from memory.services.edits.settling import family_of, settle
from memory.stores import ontology_of, triples_of

KEY_LIMIT = 300


def entities_join(*, keep: EntityRecord, gone: EntityRecord, journal: Journal, round: Round | None = None) -> None:
    """Move all triples and names of `gone` to `keep` and delete `gone`, in the caller's transaction.

    What both said is kept once; what clashes is settled for what was said last. Triples that related the two to each other
    are superseded. The journal records everything.
    """
    journal.watch("entity", [keep.pk, gone.pk])
    named = AliasRecord.objects.filter(entity__in=[keep, gone])
    journal.watch("alias", named.values_list("pk", flat=True))
    mentions = TripleRecord.objects.filter(Q(subject=gone) | Q(object=gone), space_id=keep.space_id)
    moved = set(mentions.values_list("pk", flat=True))
    journal.watch("triple", moved)
    TripleRecord.objects.filter(pk__in=moved, subject=gone).update(subject=keep)
    TripleRecord.objects.filter(pk__in=moved, object=gone).update(
        object=keep, value=keep.label, value_key=key_of(keep.label)[:KEY_LIMIT]
    )
    known = set(AliasRecord.objects.filter(entity=keep).values_list("key", flat=True))
    AliasRecord.objects.filter(entity=gone).exclude(key__in=known).update(entity=keep)
    keep.is_speaker = keep.is_speaker or gone.is_speaker
    keep.kind = keep.kind or gone.kind
    keep.save(update_fields=["is_speaker", "kind"])
    EntityRecord.objects.get(pk=gone.pk).delete()
    triples_settle(keep, moved, journal=journal, round=round)


def triples_settle(entity: EntityRecord, moved: set[int], *, journal: Journal, round: Round | None) -> None:
    """Settle the triples that moved to an entity with those that it already had under the same predicates."""
    ontology = ontology_of(entity.space_id)
    active = TripleRecord.objects.filter(space_id=entity.space_id, superseded_at=None, modality=Modality.ASSERTED)
    brought = set(active.filter(pk__in=moved).values_list("predicate", flat=True))
    families = {name for predicate in brought for name in family_of(predicate, ontology)}
    touched = active.filter(Q(subject=entity) | Q(object=entity), predicate__in=families)
    journal.watch("triple", touched.values_list("pk", flat=True))
    of_itself = TripleRecord.objects.filter(pk__in=moved, superseded_at=None, subject=entity, object=entity)
    of_itself.update(superseded_at=timezone.now(), superseded_in=round)
    settle(triples_of(touched.order_by("id")), journal=journal, ontology=ontology, moved=moved, round=round)
