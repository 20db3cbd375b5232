"""Reads the graph as of a turn, and the difference between two turns."""

from dataclasses import dataclass

from django.db.models import Case, Q, QuerySet, Value, When

from memory.core.types import Modality
from memory.models import Space, TripleRecord, Turn
from memory.selectors.rows import with_parts


@dataclass(frozen=True)
class GraphDifference:
    """The triples that only the later turn's graph has (`added`) and only the earlier one's (`superseded`).

    `changes` are both, with `change` telling which.
    """

    added: QuerySet[TripleRecord]
    superseded: QuerySet[TripleRecord]
    changes: QuerySet[TripleRecord]


def graph_as_of(space: Space, turn: Turn) -> QuerySet[TripleRecord]:
    """Return the triples that were believed once the turn's round had been processed."""
    return with_parts(TripleRecord.objects.filter(believed_as_of(turn), space=space))


def graph_difference(space: Space, earlier: Turn, later: Turn) -> GraphDifference:
    """Return the triples that were believed as of the later turn but not the earlier one, and the reverse."""
    before, after = believed_as_of(earlier), believed_as_of(later)
    is_either = (after & ~before) | (before & ~after)
    change = Case(When(after, then=Value("added")), default=Value("superseded"))
    between = changed_between(earlier, later)

    def those(condition: Q) -> QuerySet[TripleRecord]:
        rows = TripleRecord.objects.filter(between, condition, space=space)
        return with_parts(rows).annotate(change=change)

    return GraphDifference(added=those(after & ~before), superseded=those(before & ~after), changes=those(is_either))


def changed_between(earlier: Turn, later: Turn) -> Q:
    """Return a condition that every triple which changed between two turns meets, and that an index can answer."""
    first, last = sorted((earlier.round_id, later.round_id))
    said, replaced = Q(round__gt=first, round__lte=last), Q(superseded_in__gt=first, superseded_in__lte=last)
    return said | replaced | Q(superseded_in=None, superseded_at__isnull=False)


def believed_as_of(turn: Turn) -> Q:
    """Return the condition on triples that were believed as of a turn of their space.

    Round ids grow in the order of processing. What was only reported, asked or supposed was never believed. A triple whose
    superseding round is unknown counts by the time at which the turn's round was processed.
    """
    return Q(round__lte=turn.round_id, modality=Modality.ASSERTED) & not_replaced_as_of(turn)


def not_replaced_as_of(turn: Turn) -> Q:
    still = Q(superseded_at=None) | Q(superseded_in__gt=turn.round_id)
    if turn.round.maintained_at is not None:
        still |= Q(superseded_in=None, superseded_at__gt=turn.round.maintained_at)
    return still


def was_believed_at(fact: TripleRecord, turn: Turn) -> bool:
    """Return for one triple what `believed_as_of` is for a query."""
    if fact.round_id > turn.round_id or fact.modality != Modality.ASSERTED:
        return False
    if fact.superseded_at is None:
        return True
    if fact.superseded_in_id is not None:
        return fact.superseded_in_id > turn.round_id
    return turn.round.maintained_at is not None and fact.superseded_at > turn.round.maintained_at
