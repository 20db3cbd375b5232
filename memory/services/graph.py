"""Merging what a round says into the graph: G_t = (G_{t-1} minus what it replaces) plus G'_t, in the store.

Nothing is deleted by an update: a replaced triple keeps its row and learns when and by what it was superseded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.update import slots_of, update
from memory.core.types import ConflictCase, Fact, GraphFragment, GraphUpdate, Role, Triple
from memory.models import ConflictRecord, EntityRecord, Round, SentenceRecord, TripleRecord
from memory.services.entities import EntityRegister, is_entity, nodes_of
from memory.stores import triple_of, triples_of

VALUE_LIMIT = 1000
KEY_LIMIT = 300


def fragments_commit(*, round: Round, sentences: Sequence[SentenceRecord], fragments: Sequence[GraphFragment]) -> None:
    """Merge one fragment a sentence into the graph of the round's space, in order, in the caller's transaction."""
    register = EntityRegister(round, nodes_of(fragments))
    said = [
        (sentence, register.resolve(fragment))
        for sentence, fragment in zip(sentences, fragments, strict=True)
        if fragment.facts
    ]
    known = current_candidates(round.space_id, register, [fragment for _, fragment in said])
    detector = RuleBasedConflictDetector()
    for sentence, fragment in said:
        turn = sentence.turn
        case = ConflictCase(fragment, tuple(known), turn.said_at, speaker=turn.speaker, role=Role(turn.role))
        [verdicts] = detector.find_many([case])
        change = update(case, conflicts=verdicts)
        added = triples_add(round, sentence, register, change)
        replaced = triples_supersede(round, change, added)
        known = [triple for triple in known if triple.id not in replaced] + [triple_of(row) for _, row in added]


def current_candidates(space_id: int, register: EntityRegister, fragments: Sequence[GraphFragment]) -> list[Triple]:
    """Return the active triples that a fragment could meet: those that share a subject and a predicate with it."""
    facts = [fact for fragment in fragments for fact in fragment.facts]
    subjects = {register.entity_of(fact.subject).pk for fact in facts if is_entity(fact.subject)}
    subjects |= {register.entity_of(fact.object).pk for fact in facts if is_entity(fact.object)}
    predicates = {predicate for fragment in fragments for _, predicate in slots_of(fragment)}
    rows = TripleRecord.objects.filter(
        space_id=space_id, superseded_at=None, subject_id__in=subjects, predicate__in=predicates
    )
    return triples_of(rows.order_by("id"))


def triples_add(
    round: Round, sentence: SentenceRecord, register: EntityRegister, change: GraphUpdate
) -> list[tuple[Fact, TripleRecord]]:
    now = timezone.now()
    rows = [(fact, triple_row(round, sentence, register, fact, now)) for fact in change.added]
    TripleRecord.objects.bulk_create([row for _, row in rows])
    return rows


def triple_row(
    round: Round, sentence: SentenceRecord, register: EntityRegister, fact: Fact, recorded_at: datetime
) -> TripleRecord:
    target: EntityRecord | None = register.entity_of(fact.object) if is_entity(fact.object) else None
    value = fact.object.label[:VALUE_LIMIT]
    return TripleRecord(
        space_id=round.space_id,
        subject=register.entity_of(fact.subject),
        predicate=fact.predicate[:120],
        object=target,
        value=value,
        value_key=key_of(value)[:KEY_LIMIT],
        is_any=fact.object.is_any,
        polarity=fact.polarity,
        modality=fact.modality,
        tense=fact.tense,
        phrase=fact.phrase[:300],
        attributed_to=fact.attributed_to[:120],
        confidence=fact.confidence,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        recorded_at=recorded_at,
        round=round,
        sentence=sentence,
        span_start=fact.span.start,
        span_end=fact.span.end,
        said_by=sentence.turn.speaker,
        said_at=sentence.turn.said_at,
    )


def triples_supersede(round: Round, change: GraphUpdate, added: Sequence[tuple[Fact, TripleRecord]]) -> set[int]:
    """Mark what the update replaces and record each clash; return the ids of the replaced triples.

    The successor is the row of the new fact, or the triple that had said the same already.
    """
    successors = {fact: row.pk for fact, row in added} | {fact: known.id for fact, known in change.confirmed}
    now = timezone.now()
    for clash in change.superseded:
        TripleRecord.objects.filter(pk=clash.old.id).update(
            superseded_at=now, superseded_by_id=successors.get(clash.new), superseded_in=round
        )
    ConflictRecord.objects.bulk_create(
        ConflictRecord(space_id=round.space_id, old_id=clash.old.id, new_id=successors[clash.new], rule=clash.rule)
        for clash in change.superseded
        if clash.new in successors
    )
    return {clash.old.id for clash in change.superseded}
