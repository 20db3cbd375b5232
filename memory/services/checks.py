"""Runs the full consistency check of a space's graph by an OWL reasoner, and stores the fragments that an update held back.

A fragment that would make the current graph inconsistent is stored beside the graph with the reason; no part of it is merged.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from memory.adapters.owl_reasoner import OwlReasoner
from memory.core.errors import ReasonerFailed
from memory.core.knowledge_graph.consistency.assertions import current_triples
from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.knowledge_graph.consistency.reasoner_words import explanation_in_words
from memory.core.knowledge_graph.rdf.names import SpaceNames
from memory.core.knowledge_graph.rdf.ontology_graph import current_graph
from memory.core.types import Fact, Modality, Node, Tense, Triple, Violation
from memory.models import (
    GraphCheckRecord,
    HeldFragmentRecord,
    OutboxRecord,
    Round,
    SentenceRecord,
    Space,
    TripleRecord,
)
from memory.services.spaces import space_lock
from memory.stores import ontology_of, triples_of

HERMIT, PELLET, BUILT_IN = "hermit", "pellet", "built-in"
REASONERS = (HERMIT, PELLET, BUILT_IN)
CHECK_TASK = "memory.check_graph"
CHECK_QUEUE = "maintenance"
# After this long without a verdict a check is taken for dead: its process ended.
CHECK_ABANDONED_AFTER = timedelta(hours=1)
PAGE = 2000
CLASHES_SHOWN = 20
# Sets the advisory locks of checks apart from all others: "chk" in ASCII, before the space's id.
LOCK_SPACE = 0x63686B << 32


class CheckRefused(Exception):
    """Raised where a check cannot start now. The message is a sentence for the person who asked."""


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


def graph_check(*, space: Space, reasoner: str = HERMIT, is_explained: bool = False) -> GraphCheckRecord:
    """Check the space's whole current graph now and return the record; its verdict is FAILED if the reasoner failed.

    Raises `CheckRefused` while another check of the space runs.
    """
    with check_lock(space.pk) as is_mine:
        if not is_mine:
            raise CheckRefused("A check of this space is running. Wait for it to end.")
        check = GraphCheckRecord.objects.create(space=space, reasoner=reasoner)
        return check_run(check, is_explained=is_explained)


def graph_check_promise(*, space: Space, reasoner: str = HERMIT) -> GraphCheckRecord | None:
    """Queue a full check of the space in the outbox and return its record; None if a check is queued or running already."""
    with transaction.atomic():
        space_lock(space.pk)
        unfinished = GraphCheckRecord.objects.filter(space=space, verdict="")
        if unfinished.filter(created_at__gte=timezone.now() - CHECK_ABANDONED_AFTER).exists():
            return None
        unfinished.update(
            verdict=GraphCheckRecord.Verdict.FAILED, explanation="The process that was to run this check ended."
        )
        check = GraphCheckRecord.objects.create(space=space, reasoner=reasoner)
        OutboxRecord.objects.create(task=CHECK_TASK, arguments={"check_id": check.pk}, queue=CHECK_QUEUE)
    return check


def graph_check_run(*, check_id: int) -> bool:
    """Run a queued check. Return False if the check is gone, done or being run by another worker."""
    check = GraphCheckRecord.objects.filter(pk=check_id, verdict="").first()
    if check is None:
        return False
    with check_lock(check.space_id) as is_mine:
        if not is_mine or not GraphCheckRecord.objects.filter(pk=check_id, verdict="").exists():
            return False
        check_run(check, is_explained=False)
    return True


def check_run(check: GraphCheckRecord, *, is_explained: bool) -> GraphCheckRecord:
    began = time.perf_counter()
    triples = space_current_triples(check.space_id)
    try:
        lines = clashes_found(check, triples, is_explained=is_explained)
        check.verdict = GraphCheckRecord.Verdict.INCONSISTENT if lines else GraphCheckRecord.Verdict.CONSISTENT
        check.explanation = "\n".join(lines)
    except ReasonerFailed as error:
        check.verdict = GraphCheckRecord.Verdict.FAILED
        check.explanation = str(error)
    check.triple_count = len(triples)
    check.duration_ms = (time.perf_counter() - began) * 1000
    check.save(update_fields=["verdict", "explanation", "triple_count", "duration_ms"])
    return check


def clashes_found(check: GraphCheckRecord, triples: Sequence[Triple], *, is_explained: bool) -> list[str]:
    """Return one sentence for each clash of a graph; none where the graph is consistent. Raises `ReasonerFailed`.

    The reasoner gives the verdict. HermiT says only yes or no, so `find_violations` names the clashes, and with
    `is_explained` Pellet explains one of them from the axioms.
    """
    ontology, now = ontology_of(check.space_id), timezone.now()
    if check.reasoner != BUILT_IN:
        owl = current_graph(triples, ontology=ontology, names=SpaceNames(check.space_id), now=now)
        reasoner = OwlReasoner()
        verdict = reasoner.explain(owl) if check.reasoner == PELLET else reasoner.check(owl)
        if verdict.is_consistent:
            return []
        if is_explained and not verdict.explanation:
            verdict = reasoner.explain(owl)
        explained = explanation_in_words(verdict.explanation, triples, ontology=ontology)
    else:
        explained = []
    violations = find_violations(triples, ontology=ontology, now=now)
    clashes = [explain(violation) for violation in violations[:CLASHES_SHOWN]]
    if len(violations) > CLASHES_SHOWN:
        clashes.append(f"And {len(violations) - CLASHES_SHOWN} more.")
    if explained:
        clashes.append("Pellet: " + " ".join(explained))
    if check.reasoner != BUILT_IN and not clashes:
        clashes.append(f"{check.reasoner} finds the graph inconsistent and does not say where.")
    return clashes


def space_current_triples(space_id: int) -> list[Triple]:
    """Return the triples of a space's current graph, reading `PAGE` rows a query."""
    rows = TripleRecord.objects.filter(
        space_id=space_id, superseded_at=None, modality=Modality.ASSERTED, tense=Tense.PRESENT
    )
    now = timezone.now()
    found: list[Triple] = []
    after = 0
    while page := triples_of(rows.filter(pk__gt=after).order_by("pk")[:PAGE]):
        found += current_triples(page, now=now)
        after = page[-1].id
    return found


@contextmanager
def check_lock(space_id: int) -> Iterator[bool]:
    """Try to take the advisory lock of a space's check and yield whether it was taken; release it when the block ends.

    PostgreSQL ties the lock to the connection, so a process that dies leaves no lock behind.
    """
    key = LOCK_SPACE | space_id
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(%s)", [key])
        is_mine = bool(cursor.fetchone()[0])
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("select pg_advisory_unlock(%s)", [key])
