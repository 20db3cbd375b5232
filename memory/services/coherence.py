"""Whether the graph would still hold together after an update: the in-process check on a neighbourhood read by index."""

from __future__ import annotations

from django.db.models import Q
from django.utils import timezone

from memory.core.knowledge_graph.consistency.checker import neighbourhood_of, would_break
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.types import Entity, GraphUpdate, Modality, Node, Tense, Triple, Violation
from memory.models import TripleRecord
from memory.services.entities import EntityRegister, is_entity
from memory.stores import entity_of, triples_of


def violations_of(
    change: GraphUpdate, *, space_id: int, register: EntityRegister, ontology: Ontology
) -> list[Violation]:
    """Return the axioms that the graph would break if the update were applied."""
    if not change.added:
        return []

    def entity(node: Node) -> Entity:
        return entity_of(register.entity_of(node))

    return would_break(
        neighbours_of(change, space_id=space_id, register=register, ontology=ontology),
        change.added,
        entity_of=entity,
        ontology=ontology,
        now=timezone.now(),
    )


def neighbours_of(change: GraphUpdate, *, space_id: int, register: EntityRegister, ontology: Ontology) -> list[Triple]:
    """Return the active triples that the added facts could clash with, without those that the update supersedes."""
    needed = neighbourhood_of(change.added, ontology=ontology)
    nodes = [node for fact in change.added for node in (fact.subject, fact.object)]
    ends = {register.entity_of(node).pk for node in nodes if is_entity(node)}
    values = {key_of(node.label) for node in nodes if not is_entity(node)}
    is_pair = Q(object_id__in=ends) | Q(value_key__in=values) | Q(is_any=True)
    near = Q(subject_id__in=ends, predicate__in=needed.slots) | Q(object_id__in=ends, predicate__in=needed.reverse)
    near |= Q(subject_id__in=ends, predicate__in=needed.pairs) & is_pair
    rows = TripleRecord.objects.filter(
        near, space_id=space_id, superseded_at=None, modality=Modality.ASSERTED, tense=Tense.PRESENT
    )
    return triples_of(rows.exclude(pk__in=[clash.old.id for clash in change.superseded]).order_by("id"))
