"""Stores the fragments that an update held back, because merging them would make the graph inconsistent."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.types import Fact, Triple, Violation
from memory.models import HeldFragmentRecord, Round, SentenceRecord
from memory.services.edits.journal import plain


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
        facts=[asdict(fact, dict_factory=told) for fact in facts],
    )
    held.against.set(
        {triple.id for violation in violations for triple in violation.triples if isinstance(triple, Triple)}
    )
    return held


def told(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a fact, or a part of one, as JSON that holds everything needed to add the fact later."""
    return {name: plain(value) for name, value in fields}
