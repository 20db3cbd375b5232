"""What an import and a space both believe of one thing: the same rules decide as if it had been said here."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import QuerySet
from django.utils import timezone

from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.update import update
from memory.core.types import ConflictRule, Fact, GraphFragment, Node, Triple
from memory.models import ConflictRecord, Space, TripleRecord
from memory.stores import triples_of


def imported_reconcile(*, space: Space, triple_ids: set[int], subject_ids: set[int]) -> None:
    """Let imported triples and those that the space had give way to each other, by the time at which they were said."""
    active = TripleRecord.objects.filter(space=space, superseded_at=None, subject_id__in=subject_ids)
    for triples in slots(active, triple_ids):
        held: list[Triple] = []
        for triple in triples:
            change = update(held, GraphFragment((fact_of(triple),)), said_at=triple.source.said_at)
            for clash in change.superseded:
                if (clash.old.id in triple_ids) != (triple.id in triple_ids):
                    give_way(space, clash.old, triple, clash.rule)
                    held = [other for other in held if other.id != clash.old.id]
            held.append(triple)


def slots(active: QuerySet[TripleRecord], triple_ids: set[int]) -> list[list[Triple]]:
    """Return the active triples, oldest word first, by the slots that hold some of the import and some of before."""
    found: dict[tuple[int, str], list[Triple]] = defaultdict(list)
    for triple in triples_of(active.order_by("said_at", "id")):
        predicate = predicate_named(triple.predicate)
        found[triple.subject.id, min(filter(None, (predicate.name, predicate.disjoint_with)))].append(triple)
    return [triples for triples in found.values() if {triple.id in triple_ids for triple in triples} == {True, False}]


def give_way(space: Space, old: Triple, new: Triple, rule: ConflictRule) -> None:
    TripleRecord.objects.filter(pk=old.id).update(
        superseded_at=timezone.now(), superseded_by_id=new.id, superseded_in_id=new.round_id
    )
    ConflictRecord.objects.get_or_create(old_id=old.id, new_id=new.id, defaults={"space": space, "rule": rule})


def fact_of(triple: Triple) -> Fact:
    """Return a triple as the fact that it was."""
    is_literal = triple.object_id is None and not triple.is_any
    return Fact(
        subject=Node(triple.subject.label, kind=triple.subject.kind),
        predicate=triple.predicate,
        object=Node(triple.object, kind=triple.object_kind, is_literal=is_literal, is_any=triple.is_any),
        span=triple.span,
        polarity=triple.polarity,
        modality=triple.modality,
        tense=triple.tense,
        valid_from=triple.valid_from,
        valid_to=triple.valid_to,
        confidence=triple.confidence,
        phrase=triple.phrase,
        attributed_to=triple.attributed_to,
    )
