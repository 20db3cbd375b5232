"""Declarations of a space's people about predicates."""

from django.contrib.auth.models import User
from django.db import transaction

from memory.core.english.inflection import words_of_name
from memory.core.types import Modality
from memory.models import EditRecord, PredicateRecord, Space, TripleRecord
from memory.services.edits.audit import edit_write
from memory.services.edits.journal import Journal
from memory.services.edits.settling import settle
from memory.services.edits.wording import predicate_of, quoted
from memory.services.spaces import space_lock
from memory.stores import ontology_of, triples_of


@transaction.atomic
def predicate_declare(*, space: Space, name: str, is_functional: bool, by: User) -> PredicateRecord:
    """Declare that a predicate has one value at a time in this space (`is_functional`), or may have many.

    Where it becomes functional, a subject with several values that exclude each other keeps the one that was said last; each
    of the others is superseded with a conflict. One undo takes all of it back.
    """
    predicate = predicate_of(name)
    space_lock(space.pk)
    known = PredicateRecord.objects.filter(space=space, name=predicate).first()
    if known is not None and known.is_functional == is_functional:
        return known
    was_functional = ontology_of(space.pk).predicate_named(predicate).is_functional
    journal = Journal(space.pk)
    journal.watch("predicate", [known.pk] if known is not None else [])
    declared, _ = PredicateRecord.objects.update_or_create(
        space=space, name=predicate, defaults={"is_functional": is_functional, "declared_by": by}
    )
    if is_functional and not was_functional:
        active = TripleRecord.objects.filter(space=space, superseded_at=None, predicate=predicate)
        triples = triples_of(active.filter(modality=Modality.ASSERTED).order_by("id"))
        journal.watch("triple", [triple.id for triple in triples])
        settle(triples, journal=journal, ontology=ontology_of(space.pk))
    says = "has one value at a time" if is_functional else "may have several values at a time"
    edit_write(
        journal,
        kind=EditRecord.Kind.DECLARE,
        summary=f"Declared that {quoted(' '.join(words_of_name(predicate)))} {says}.",
        by=by,
    )
    return declared
