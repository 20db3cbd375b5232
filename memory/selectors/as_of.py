"""Reads the graph as of a turn, and the difference between two turns.

The timeline of a space's rounds, on which a reader goes back in time. The read is bounded for any number of rounds.

Rounds of sessions that are not remembered are left out.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Case, F, Q, QuerySet, Value, When

from memory.core.types import Modality
from memory.models import Space, TripleRecord, Turn
from memory.selectors.owned import turns_of, with_parts
from memory.selectors.pages import LARGEST_ID


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


STOPS = 200
# All rounds of a short line. Of a long one evenly spaced numbers, each taken down to the round before it, and the rounds
# next to the reader: a few hundred looks into one index.
LINE = """
with remembered as materialized (
    select id from memory_round where space_id = %(space)s and maintenance <> 'skipped' order by id limit %(stops)s + 1
), is_long as materialized (
    select count(*) > %(stops)s as yes from remembered
), stop as (
    select id, true as is_stop from remembered where not (select yes from is_long)
    union
    select near.id, true
    from (
        select min(id) as first,
               (select id from memory_round where space_id = %(space)s and maintenance <> 'skipped'
                order by id desc limit 1) as last
        from remembered
    ) as ends
    cross join generate_series(0, %(stops)s - 1) as step
    cross join lateral (
        select id from memory_round
        where space_id = %(space)s and maintenance <> 'skipped' and id <= first + (last - first) * step / (%(stops)s - 1)
        order by id desc limit 1
    ) as near
    where (select yes from is_long)
    union
    (select id, false from memory_round
     where space_id = %(space)s and maintenance <> 'skipped' and id < %(at)s and (select yes from is_long)
     order by id desc limit 1)
    union
    (select id, false from memory_round
     where space_id = %(space)s and maintenance <> 'skipped' and id > %(at)s and (select yes from is_long)
     order by id limit 1)
)
select id, bool_or(is_stop), (
    select turn.id from memory_turn turn where turn.round_id = stop.id order by turn.index limit 1
) as turn_id
from stop group by id order by id
"""


@dataclass(frozen=True)
class Stop:
    """A round that the slider can stop at, with its first turn, which stands for it in URLs."""

    round_id: int
    turn_id: int


@dataclass(frozen=True)
class Moment:
    """A position on the timeline: a turn, or now, which is after all turns.

    `stops` are all rounds, or an evenly spread sample of them. `position` is the index of the last stop up to the turn, and
    `len(stops)` for now. `before` and `after` are turns of the adjacent rounds, whether these are stops or not.
    """

    turn: Turn | None
    stops: tuple[Stop, ...]
    position: int
    before: int | None
    after: int | None


def turn_in(user: User, space: Space, turn_id: int) -> Turn:
    """Return a turn of a space of the user's, with its round. Raises `Turn.DoesNotExist` for any other."""
    return turns_of(user).filter(space=space).select_related("round", "session").get(pk=turn_id)


def moment_in(space: Space, turn: Turn | None) -> Moment:
    """Return the position of a turn, or of now (None), on the space's timeline."""
    at = LARGEST_ID if turn is None else turn.round_id
    with connection.cursor() as cursor:
        cursor.execute(LINE, {"space": space.pk, "stops": STOPS, "at": at})
        rows = [(Stop(round_id, turn_id), is_stop) for round_id, is_stop, turn_id in cursor.fetchall() if turn_id]
    stops = [stop for stop, is_stop in rows if is_stop]
    position = len(stops) if turn is None else max(bisect_right([stop.round_id for stop in stops], at) - 1, 0)
    return Moment(
        turn=turn,
        stops=tuple(stops),
        position=position,
        before=next((stop.turn_id for stop, _ in reversed(rows) if stop.round_id < at), None),
        after=next((stop.turn_id for stop, _ in rows if stop.round_id > at), None),
    )


class EdgeState(StrEnum):
    """The state of a fact at the shown turn; or what became of it from the earlier to the later of two."""

    HOLDS = "holds"
    ADDED = "added"
    GONE = "superseded"
    PAST = "past"


@dataclass(frozen=True)
class Sight:
    """Which triples are shown: those believed at a turn or now, those superseded by then too, or the difference to a turn."""

    at: Turn | None = None
    against: Turn | None = None
    with_past: bool = False

    @property
    def holds(self) -> Q:
        return believed(self.at)

    @property
    def shown(self) -> Q:
        """The condition on triples that are shown. Triples that were never believed are left out."""
        if self.against is not None:
            either = believed(self.at) | believed(self.against)
            # Says nothing new, and is what an index can begin at.
            return (
                either & Q(round__lte=max(self.at.round_id, self.against.round_id)) if self.at is not None else either
            )
        if not self.with_past:
            return believed(self.at)
        once = Q(superseded_at=None) | Q(superseded_at__gt=F("recorded_at"))
        said = Q(round__lte=self.at.round_id) if self.at is not None else Q()
        return Q(once, said, modality=Modality.ASSERTED)

    @property
    def state(self) -> Case:
        if self.against is None:
            return Case(When(self.holds, then=Value(EdgeState.HOLDS)), default=Value(EdgeState.PAST))
        earlier, later = (believed(turn) for turn in self.in_time)
        return Case(
            When(earlier & later, then=Value(EdgeState.HOLDS)),
            When(later, then=Value(EdgeState.ADDED)),
            default=Value(EdgeState.GONE),
        )

    @property
    def in_time(self) -> tuple[Turn | None, Turn | None]:
        """The two turns that are compared, the earlier first; now, which is None, is after all of them."""
        if self.at is not None and self.against is not None and self.at.round_id < self.against.round_id:
            return self.at, self.against
        return self.against, self.at

    @property
    def order(self) -> tuple[str, ...]:
        """Newest first, in the order of the index that answers the query."""
        is_current = self.at is None and self.against is None and not self.with_past
        return ("-pk",) if is_current else ("-round_id", "-pk")


def believed(turn: Turn | None) -> Q:
    """Return the condition on triples that are believed at a turn, or now for None."""
    return Q(superseded_at=None, modality=Modality.ASSERTED) if turn is None else believed_as_of(turn)
