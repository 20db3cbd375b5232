"""Counts of what a space holds."""

from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.ontology import Ontology
from memory.models import (
    EntityRecord,
    KnowledgeBaseRecord,
    MaintenanceState,
    PredicateRecord,
    Round,
    SentenceRecord,
    Space,
    TripleRecord,
)

PREDICATES_SHOWN = 200


@dataclass(frozen=True)
class SpaceCounts:
    triples: int
    superseded: int
    sentences: int
    entities: int
    rounds_pending: int
    rounds_failed: int
    knowledge_bases: int
    knowledge_triples: int
    knowledge_passages: int


def space_counts(space: Space) -> SpaceCounts:
    triples = TripleRecord.objects.filter(space=space).aggregate(
        active=Count("id", filter=Q(superseded_at=None)), superseded=Count("id", filter=Q(superseded_at__isnull=False))
    )
    rounds = Round.objects.filter(space=space).aggregate(
        pending=Count("id", filter=Q(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])),
        failed=Count("id", filter=Q(maintenance=MaintenanceState.FAILED)),
    )
    knowledge = KnowledgeBaseRecord.objects.filter(space=space).aggregate(
        bases=Count("id"), triples=Sum("triples", default=0), passages=Sum("passages", default=0)
    )
    return SpaceCounts(
        triples=triples["active"],
        superseded=triples["superseded"],
        sentences=SentenceRecord.objects.filter(space=space).count(),
        entities=EntityRecord.objects.filter(space=space).count(),
        rounds_pending=rounds["pending"],
        rounds_failed=rounds["failed"],
        knowledge_bases=knowledge["bases"],
        knowledge_triples=knowledge["triples"],
        knowledge_passages=knowledge["passages"],
    )


@dataclass(frozen=True)
class PredicateUse:
    """A predicate as a space declares it, and the number of its active triples."""

    name: str
    words: str
    is_functional: bool
    is_declared: bool
    triples: int


def predicates_in(space: Space, limit: int = PREDICATES_SHOWN) -> list[PredicateUse]:
    """Return the predicates that a space uses or has declared, the most used first."""
    active = TripleRecord.objects.filter(space=space, superseded_at=None)
    used = dict(active.values_list("predicate").annotate(times=Count("id")).order_by("-times", "predicate")[:limit])
    declared = dict(PredicateRecord.objects.filter(space=space).values_list("name", "is_functional")[:limit])
    return [
        predicate_use(name, declared, used.get(name, 0)) for name in [*used, *sorted(declared.keys() - used.keys())]
    ]


def predicate_in(space: Space, name: str) -> PredicateUse:
    declared = dict(PredicateRecord.objects.filter(space=space, name=name).values_list("name", "is_functional"))
    return predicate_use(
        name, declared, TripleRecord.objects.filter(space=space, superseded_at=None, predicate=name).count()
    )


def predicate_use(name: str, declared: dict[str, bool], triples: int) -> PredicateUse:
    known = Ontology(declared=declared).predicate_named(name)
    return PredicateUse(name, " ".join(words_of_name(name)), known.is_functional, name in declared, triples)
