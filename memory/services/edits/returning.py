"""Checks that a superseded triple may hold again: only where the graph stays consistent with it.

The paper (D-SMART) keeps the memory a consistent OWL graph and has no decision that is taken back, so the consistency check
of an update is applied once more.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.utils import timezone

from memory.core.knowledge_graph.consistency.checker import find_violations
from memory.core.knowledge_graph.consistency.explanation import explain
from memory.core.naming import key_of
from memory.core.types import Triple
from memory.models import TripleRecord
from memory.services.accounts import speaker_name
from memory.services.coherence import rows_near
from memory.services.edits.audit import EditRefused
from memory.services.edits.settling import fact_of
from memory.stores import ontology_of, triples_of


def return_check(
    space_id: int,
    *,
    by: User,
    back: Collection[int],
    gone: Collection[int] = (),
    since: datetime | None = None,
) -> None:
    """Raise `EditRefused`, naming the clash in words to `by`, where the triples of `back` would clash with what holds now.

    `gone` are triples that will be superseded and so do not count. With `since`, only triples recorded after that time count.
    """
    if not back:
        return
    ontology = ontology_of(space_id)
    returning = [replace(triple, superseded_at=None) for triple in triples_of(TripleRecord.objects.filter(pk__in=back))]
    ends = {end for triple in returning for end in (triple.subject.id, triple.object_id) if end is not None}
    values = {key_of(triple.object) for triple in returning if triple.object_id is None}
    facts = [fact_of(triple) for triple in returning]
    near = rows_near(facts, ends, values, space_id=space_id, ontology=ontology).exclude(pk__in=[*back, *gone])
    if since is not None:
        near = near.filter(recorded_at__gt=since)
    against = triples_of(near.order_by("pk"))
    if not against:
        return
    ids, others = set(back), {triple.id for triple in against}
    for violation in find_violations([*against, *returning], ontology=ontology, now=timezone.now()):
        met = {triple.id for triple in violation.triples if isinstance(triple, Triple)}
        if met & ids and met & others:
            clash = explain(violation, asker=speaker_name(by))
            raise EditRefused(
                f"This cannot be so beside what I remember: {clash} Correct or forget the other one first."
            )
