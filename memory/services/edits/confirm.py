"""Takes a fact that was read too unsurely to count on for true, once a person says that it was meant."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from memory.core.types import Modality
from memory.models import EditRecord, TripleRecord
from memory.services.edits.audit import EditRefused, edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.settling import family_of, settle
from memory.services.edits.stamps import triple_unchanged
from memory.services.edits.wording import sentence_of_row
from memory.services.spaces import space_lock
from memory.stores import ontology_of, triples_of


@transaction.atomic
def triple_confirm(*, triple: TripleRecord, by: User, seen: str = "") -> TripleRecord:
    """Let an unsure triple hold as if it had been read surely when it was said, and return it.

    It keeps its source, and settles with what else is told in its slot. Raises `EditRefused`.
    """
    space_lock(triple.space_id)
    row = TripleRecord.objects.select_related("object", "subject").get(pk=triple.pk)
    triple_unchanged(row, seen, by=by)
    if row.superseded_at is not None or row.modality != Modality.UNSURE:
        raise EditRefused("This was decided meanwhile.")
    ontology = ontology_of(row.space_id)
    ends = [end for end in (row.subject_id, row.object_id) if end is not None]
    beside = TripleRecord.objects.filter(
        Q(subject__in=ends) | Q(object__in=ends),
        space_id=row.space_id,
        superseded_at=None,
        modality=Modality.ASSERTED,
        predicate__in=family_of(row.predicate, ontology),
    )
    known = triples_of(beside.order_by("id"))
    journal = Journal(row.space_id)
    journal.watch("triple", [row.pk, *(one.id for one in known)])
    row.modality, row.confidence = Modality.ASSERTED, 1.0
    row.save(update_fields=["modality", "confidence"])
    settle(
        [*known, *triples_of(TripleRecord.objects.filter(pk=row.pk))],
        journal=journal,
        ontology=ontology,
        moved={row.pk},
    )
    edit_write(
        journal,
        kind=EditRecord.Kind.CORRECT,
        summary=f"Said that this was meant: {sentence_of_row(row)}.",
        by=by,
        triples=[row.pk],
    )
    return TripleRecord.objects.get(pk=row.pk)
