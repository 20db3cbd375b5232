"""Runs the full consistency check of a space's graph by an OWL reasoner: now, or where one is due."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from memory.core.errors import ReasonerFailed
from memory.core.knowledge_graph.consistency.assertions import current_triples
from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.consistency.explanation import explain, explanation_in_words
from memory.core.types import Modality, Tense, Triple
from memory.models import (
    ConflictRecord,
    EditRecord,
    GraphCheckRecord,
    OutboxRecord,
    PredicateRecord,
    Space,
    TripleRecord,
)
from memory.services.advisory_locks import advisory_lock
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
# One Java after another: a sweep promises a few, the next one the rest.
CHECKS_A_SWEEP = 5
# Sets the advisory locks of checks apart from all others: "chk" in ASCII, before the space's id.
LOCK_SPACE = 0x63686B << 32


class CheckRefused(Exception):
    """Raised where a check cannot start now. The message is a sentence for the person who asked."""


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


def checks_promise() -> int:
    """Queue a check of each space that is due, at most a few at a time, and return how many were queued."""
    if not settings.DSMART_CHECK_HOURS:
        return 0
    due = spaces_due()[:CHECKS_A_SWEEP]
    return sum(graph_check_promise(space=space) is not None for space in due)


def spaces_due() -> QuerySet[Space]:
    """Return the spaces whose graph changed since their last check, if that check is older than the interval of the settings.

    A space that was never checked is due one interval after it was made.
    """
    long_ago = timezone.now() - timedelta(hours=settings.DSMART_CHECK_HOURS)
    checked = newest(GraphCheckRecord.objects.order_by("-id"), "created_at")
    active = TripleRecord.objects.filter(superseded_at=None).order_by("-id")
    superseded = TripleRecord.objects.filter(superseded_at__isnull=False).order_by("-superseded_at")
    spaces = Space.objects.annotate(checked_at=Coalesce(checked, F("created_at")))
    return (
        spaces.filter(checked_at__lte=long_ago)
        .annotate(
            learnt_at=newest(active, "recorded_at"),
            replaced_at=newest(superseded, "superseded_at"),
            edited_at=newest(EditRecord.objects.order_by("-id"), "created_at"),
            declared_at=newest(PredicateRecord.objects.order_by("-id"), "created_at"),
        )
        .filter(
            Q(learnt_at__gt=F("checked_at"))
            | Q(replaced_at__gt=F("checked_at"))
            | Q(edited_at__gt=F("checked_at"))
            | Q(declared_at__gt=F("checked_at"))
        )
        .order_by("checked_at")
    )


def newest(rows: QuerySet, field: str) -> Subquery:
    return Subquery(rows.filter(space=OuterRef("pk")).values(field)[:1], output_field=DateTimeField())


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
        from memory.adapters.owl_reasoner import OwlReasoner
        from memory.core.knowledge_graph.rdf.ontology_graph import current_graph
        from memory.core.knowledge_graph.rdf.terms import SpaceNames

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
    """Return the triples of a space's current graph, reading `PAGE` rows a query.

    Of two values that stand beside each other in a slot for one, only the later is checked.
    """
    rows = TripleRecord.objects.filter(
        space_id=space_id, superseded_at=None, modality=Modality.ASSERTED, tense=Tense.PRESENT
    ).exclude(conflicts_as_old__decision=ConflictRecord.Decision.BOTH)
    now = timezone.now()
    found: list[Triple] = []
    after = 0
    while page := triples_of(rows.filter(pk__gt=after).order_by("pk")[:PAGE]):
        found += current_triples(page, now=now)
        after = page[-1].id
    return found


def check_lock(space_id: int) -> AbstractContextManager[bool]:
    """Try to take the advisory lock of a space's check and yield whether it was taken; release it when the block ends."""
    return advisory_lock(LOCK_SPACE | space_id)
