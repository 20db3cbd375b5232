"""Builds the cases in which a model looks for conflicts: what a round says, and the triples that it could clash with.

A language model is asked about turns: the triples share an entity or a slot with their facts, at most `TRIPLES_AN_ENTITY` for
each of at most `ENTITIES` entities. A learned judge is asked about sentences, also such as no fact was read in: the triples
are the last `TRIPLES_A_SPEAKER` that their speaker told of. Both are read by index, so that the cost does not grow with the
graph. This happens outside any transaction, before the entities of the round are resolved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.db.models import QuerySet

from memory import bootstrap
from memory.core.knowledge_graph.conflict.prompted import WHOLES
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.update import slots_of
from memory.core.types import ConflictCase, Entity, Fact, GraphFragment, Modality, Node, Role, Supersession, Triple
from memory.models import Round, SentenceRecord, TripleRecord
from memory.services.entities import nodes_of
from memory.stores import triples_of

ENTITIES = 24
TRIPLES_AN_ENTITY = 20
TRIPLES_A_SPEAKER = 200


@dataclass(frozen=True)
class AskedCase:
    """A conflict case whose facts have the memory's entity names, and the same facts, in order, as they were extracted."""

    case: ConflictCase
    facts: tuple[Fact, ...]

    def as_read(self, verdict: Supersession) -> Supersession:
        """Return a verdict on the case with the fact as it was extracted; a denial of the detector's own stays."""
        named = self.case.fragment.facts
        return replace(verdict, new=self.facts[named.index(verdict.new)]) if verdict.new in named else verdict


def conflict_cases(
    *, space_id: int, sentences: Sequence[SentenceRecord], fragments: Sequence[GraphFragment], ontology: Ontology
) -> list[AskedCase]:
    """Return one case for each turn that asserts something, with the triples that it could clash with."""
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
        facts = tuple(fact for _, fact in pairs)
        known = entities_meant(facts, space_id=space_id)
        fragment = GraphFragment(tuple(named(fact, known) for fact in facts))
        entities = list(dict.fromkeys(entity.id for found in known.values() for entity in found))[:ENTITIES]
        candidates = candidates_of(fragment, entities, space_id=space_id, ontology=ontology)
        case = ConflictCase(fragment, tuple(candidates), turn.said_at, turn.speaker, Role(turn.role))
        cases.append(AskedCase(case, facts))
    return cases


def sentence_cases(
    *, round: Round, sentences: Sequence[SentenceRecord], fragments: Sequence[GraphFragment], own: Sequence[bool]
) -> list[AskedCase]:
    """Return one case a sentence, with what its speaker told of last before the round.

    There is nothing to clash with for what only asks, what the assistant says and what is not in the speaker's own words.
    """
    tellers = [
        sentence.turn.speaker if is_own and sentence.is_evidence and sentence.turn.role == Role.USER else None
        for sentence, is_own in zip(sentences, own, strict=True)
    ]
    known = entities_meant([fact for one in fragments for fact in one.facts], space_id=round.space_id)
    told = {speaker: last_told_by(speaker, before=round) for speaker in dict.fromkeys(tellers) if speaker is not None}
    cases = []
    for sentence, fragment, speaker in zip(sentences, fragments, tellers, strict=True):
        turn = sentence.turn
        candidates = () if speaker is None else told[speaker]
        resolved = GraphFragment(tuple(named(fact, known) for fact in fragment.facts))
        case = ConflictCase(resolved, candidates, turn.said_at, turn.speaker, Role(turn.role), sentence.text)
        cases.append(AskedCase(case, fragment.facts))
    return cases


def last_told_by(speaker: str, *, before: Round) -> tuple[Triple, ...]:
    active = TripleRecord.objects.filter(
        space_id=before.space_id, superseded_at=None, modality=Modality.ASSERTED, said_by=speaker
    )
    return tuple(triples_of(active.exclude(round=before).order_by("-id")[:TRIPLES_A_SPEAKER]))


def entities_meant(facts: Sequence[Fact], *, space_id: int) -> dict[str, list[Entity]]:
    """Return, for each name in the facts, the entities of the space that have this name."""
    nodes = nodes_of([GraphFragment(tuple(facts))])
    names = list(dict.fromkeys(name for node in nodes for name in (node.label, *node.aliases)))
    return bootstrap.space_memory(space_id).entities_named(names)


def named(fact: Fact, known: Mapping[str, Sequence[Entity]]) -> Fact:
    """Return the fact with known entity labels added to the names of its nodes, wherever a name has exactly one entity."""
    return replace(fact, subject=_named(fact.subject, known), object=_named(fact.object, known))


def _named(node: Node, known: Mapping[str, Sequence[Entity]]) -> Node:
    labels = [found[0].label for name in (node.label, *node.aliases) if len(found := known.get(name, ())) == 1]
    return replace(node, aliases=tuple(dict.fromkeys((*node.aliases, *labels))))


def candidates_of(
    fragment: GraphFragment, entities: Sequence[int], *, space_id: int, ontology: Ontology
) -> list[Triple]:
    """Return active triples in the fragment's slots and the newest about its entities, a bounded number of each."""
    active = TripleRecord.objects.filter(space_id=space_id, superseded_at=None, modality=Modality.ASSERTED)
    predicates = {predicate for _, predicate in slots_of(fragment, ontology=ontology)}
    found: set[int] = set()
    for entity in entities:
        slots = newest(active.filter(subject_id=entity, predicate__in=predicates))
        found |= set(slots.union(newest(active.filter(subject_id=entity)), newest(active.filter(object_id=entity))))
    values = TripleRecord.objects.filter(pk__in=found, predicate__in=predicates).values("object_id")
    found |= set(newest(active.filter(subject_id__in=values, predicate__in=WHOLES)))
    return triples_of(TripleRecord.objects.filter(pk__in=found).order_by("id"))


def newest(rows: QuerySet[TripleRecord]) -> QuerySet[TripleRecord, int]:
    return rows.order_by("-id").values_list("pk", flat=True)[:TRIPLES_AN_ENTITY]
