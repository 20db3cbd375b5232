"""What a language model is asked about a round: its facts, and the triples that share an entity or a slot with them.

Read by index, a bounded number for each entity, outside any transaction and before the entities of the round are settled:
neither the prompt nor the cost grows with the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from django.db.models import QuerySet

from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.update import slots_of
from memory.core.types import ConflictCase, Fact, GraphFragment, Modality, Role, Triple
from memory.models import AliasRecord, SentenceRecord, TripleRecord
from memory.services.entities import nodes_of
from memory.stores import triples_of

ENTITIES = 24
TRIPLES_AN_ENTITY = 20


def conflict_cases(
    *, space_id: int, sentences: Sequence[SentenceRecord], fragments: Sequence[GraphFragment], ontology: Ontology
) -> list[ConflictCase]:
    """Return one case a turn that asserts something, with the triples that it could clash with."""
    said = [
        (sentence.turn, fact)
        for sentence, fragment in zip(sentences, fragments, strict=True)
        for fact in fragment.facts
        if fact.modality is Modality.ASSERTED
    ]
    cases = []
    for _, group in groupby(said, key=lambda pair: pair[0].pk):
        pairs = list(group)
        turn = pairs[0][0]
        fragment = GraphFragment(tuple(fact for _, fact in pairs))
        candidates = candidates_of(fragment, space_id=space_id, ontology=ontology)
        cases.append(ConflictCase(fragment, tuple(candidates), turn.said_at, turn.speaker, Role(turn.role)))
    return cases


def candidates_of(fragment: GraphFragment, *, space_id: int, ontology: Ontology) -> list[Triple]:
    """Return the active triples of the fragment's slots and the newest about its entities, aliases included."""
    entities = entities_meant(fragment.facts, space_id=space_id)
    active = TripleRecord.objects.filter(space_id=space_id, superseded_at=None, modality=Modality.ASSERTED)
    predicates = {predicate for _, predicate in slots_of(fragment, ontology=ontology)}
    found = set()
    for entity in entities:
        slots = newest(active.filter(subject_id=entity, predicate__in=predicates))
        found |= set(slots.union(newest(active.filter(subject_id=entity)), newest(active.filter(object_id=entity))))
    return triples_of(TripleRecord.objects.filter(pk__in=found).order_by("id"))


def newest(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord, int]:
    return rows.order_by("-id").values_list("pk", flat=True)[:TRIPLES_AN_ENTITY]


def entities_meant(facts: Sequence[Fact], *, space_id: int) -> list[int]:
    """Return the entities that bear a name of one of the facts' nodes."""
    nodes = nodes_of([GraphFragment(tuple(facts))])
    keys = {key_of(name) for node in nodes for name in (node.label, *node.aliases)} - {""}
    named = AliasRecord.objects.filter(space_id=space_id, key__in=keys).order_by("entity_id")
    return list(named.values_list("entity_id", flat=True).distinct()[:ENTITIES])
