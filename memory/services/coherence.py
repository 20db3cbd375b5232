"""Checks whether the graph stays consistent after an update, against the triples near the update that an index finds."""

from collections.abc import Collection, Sequence

from django.db.models import Q, QuerySet
from django.utils import timezone

from memory.core.knowledge_graph.consistency.assertions import (
    assertions_of_facts,
    assertions_of_triples,
    current_triples,
    is_current,
    is_entity,
)
from memory.core.knowledge_graph.consistency.checker import neighbourhood_of, would_break
from memory.core.knowledge_graph.consistency.index import ConsistencyIndex
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.naming import key_of
from memory.core.types import Entity, Fact, GraphUpdate, Modality, Node, Tense, Triple, Violation
from memory.models import TripleRecord
from memory.services.entities import EntityRegister
from memory.stores import entity_of, triples_of


class Neighbourhood:
    """The active triples that some facts could clash with, read in one query and updated while the facts are merged.

    An index of all of them tells at once of most updates that they break nothing. What an update may break is looked at anew,
    among the triples about the same things.
    """

    def __init__(self, facts: Sequence[Fact], *, space_id: int, register: EntityRegister, ontology: Ontology) -> None:
        self._register = register
        self._ontology = ontology
        nodes = [node for fact in facts for node in (fact.subject, fact.object)]
        values = {key_of(node.label) for node in nodes if not is_entity(node)}
        rows = rows_near(facts, self._ends(nodes), values, space_id=space_id, ontology=ontology)
        self._triples: dict[int, Triple] = {}
        self._index = ConsistencyIndex(ontology)
        self.follow(added=triples_of(rows.order_by("id")) if facts else [], replaced=())

    def violations_of(self, change: GraphUpdate) -> list[Violation]:
        """Return the axioms that the graph would break if the update were applied."""
        if not change.added:
            return []
        now = timezone.now()
        replaced = [clash.old for clash in change.superseded if clash.old.id in self._triples]
        if not self._may_break([fact for fact in change.added if is_current(fact, now)], replaced):
            return []
        ends = self._ends([node for fact in change.added for node in (fact.subject, fact.object)])
        gone = {triple.id for triple in replaced}
        met = [
            triple
            for triple in self._triples.values()
            if triple.id not in gone and (triple.subject.id in ends or triple.object_id in ends)
        ]
        return would_break(met, change.added, entity_of=self._entity_of, ontology=self._ontology, now=now)

    def _may_break(self, facts: Sequence[Fact], replaced: Sequence[Triple]) -> bool:
        """Return whether anything is broken among all triples once facts are added; more triples never break less."""
        gone = assertions_of_triples(replaced, ontology=self._ontology)
        new = assertions_of_facts(facts, entity_of=self._entity_of, ontology=self._ontology)
        self._index.remove(gone)
        self._index.add(new)
        may_break = self._index.is_broken
        self._index.remove(new)
        self._index.add(assertions_of_triples(current_triples(replaced, now=timezone.now()), ontology=self._ontology))
        return may_break

    def follow(self, *, added: Sequence[Triple], replaced: Collection[int]) -> None:
        """Record that an update was applied: add its new triples and remove those that it replaced."""
        self._triples.update((triple.id, triple) for triple in added)
        current = current_triples(added, now=timezone.now())
        self._index.add(assertions_of_triples(current, ontology=self._ontology))
        gone = [self._triples.pop(triple_id) for triple_id in replaced if triple_id in self._triples]
        self._index.remove(assertions_of_triples(gone, ontology=self._ontology))

    def _ends(self, nodes: Sequence[Node]) -> set[int]:
        return {self._register.entity_of(node).pk for node in nodes if is_entity(node)}

    def _entity_of(self, node: Node) -> Entity:
        return entity_of(self._register.entity_of(node))


def rows_near(
    facts: Sequence[Fact], ends: Collection[int], values: Collection[str], *, space_id: int, ontology: Ontology
) -> QuerySet[TripleRecord]:
    """Return the active triples that facts about these entities (`ends`) and literal values could clash with."""
    needed = neighbourhood_of(facts, ontology=ontology)
    is_pair = Q(object_id__in=ends) | Q(value_key__in=values) | Q(is_any=True)
    near = Q(subject_id__in=ends, predicate__in=needed.slots) | Q(object_id__in=ends, predicate__in=needed.reverse)
    near |= Q(subject_id__in=ends, predicate__in=needed.pairs) & is_pair
    return TripleRecord.objects.filter(
        near, space_id=space_id, superseded_at=None, modality=Modality.ASSERTED, tense=Tense.PRESENT
    )
