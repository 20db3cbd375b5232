"""Stores the fragments that an update held back, because merging them would make the graph inconsistent."""

from __future__ import annotations

from collections.abc import Sequence

from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.types import Fact, Node, Triple, Violation
from memory.models import HeldFragmentRecord, Round, SentenceRecord


def fragment_hold(
    *, round: Round, sentence: SentenceRecord, facts: Sequence[Fact], violations: Sequence[Violation]
) -> HeldFragmentRecord:
    """Store a fragment beside the graph, with the axioms that it would break and the triples that it clashes with."""
    held = HeldFragmentRecord.objects.create(
        space_id=round.space_id,
        round=round,
        sentence=sentence,
        axiom=violations[0].axiom,
        reason="\n".join(dict.fromkeys(explain(violation) for violation in violations)),
        facts=[fact_data(fact) for fact in facts],
    )
    held.against.set(
        {triple.id for violation in violations for triple in violation.triples if isinstance(triple, Triple)}
    )
    return held


def fact_data(fact: Fact) -> dict[str, object]:
    """Return a fact as JSON that holds everything needed to add the fact later."""
    return {
        "subject": node_data(fact.subject),
        "predicate": fact.predicate,
        "object": node_data(fact.object),
        "span": [fact.span.start, fact.span.end],
        "polarity": fact.polarity.value,
        "modality": fact.modality.value,
        "tense": fact.tense.value,
        "valid_from": fact.valid_from and fact.valid_from.isoformat(),
        "valid_to": fact.valid_to and fact.valid_to.isoformat(),
        "confidence": fact.confidence,
        "phrase": fact.phrase,
        "attributed_to": fact.attributed_to,
    }


def node_data(node: Node) -> dict[str, object]:
    return {
        "label": node.label,
        "kind": node.kind,
        "aliases": list(node.aliases),
        "is_literal": node.is_literal,
        "is_speaker": node.is_speaker,
        "is_any": node.is_any,
    }
