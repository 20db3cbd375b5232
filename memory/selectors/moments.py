"""The line of a space's rounds, on which a reader goes back in time. Every read is bounded, however long the line is."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.models import MaintenanceState, Round, Space, Turn

STOPS = 200
LARGEST_ID = 2**63 - 1
# Evenly spaced numbers of rounds, each taken down to the round before it: a few hundred looks into one index.
SPREAD = """
select distinct near.id,
       (select turn.id from memory_turn turn where turn.round_id = near.id order by turn.index limit 1) as turn_id
from (select min(id) as first, max(id) as last from memory_round where space_id = %(space)s) as ends
cross join generate_series(0, %(steps)s) as step
cross join lateral (
    select id from memory_round
    where space_id = %(space)s and maintenance <> 'skipped' and id <= first + (last - first) * step / %(steps)s
    order by id desc limit 1
) as near
order by near.id
"""


@dataclass(frozen=True)
class Stop:
    """A round as a place to stop at, and the turn that stands for it in an address: its first."""

    round_id: int
    turn_id: int


@dataclass(frozen=True)
class Moment:
    """Where a reader stands on the line: at a turn, or now, which is after all of them.

    `stops` are all rounds, or so many of them evenly spread; `position` is that of the last stop that is not after the
    turn, and `len(stops)` for now. `before` and `after` are the turns of the rounds next to it, whatever the stops are.
    """

    turn: Turn | None
    stops: tuple[Stop, ...]
    position: int
    before: int | None
    after: int | None


def turn_in(user: User, space: Space, turn_id: int) -> Turn:
    """Return a turn of one of the user's spaces, with its round; `Turn.DoesNotExist` for any other."""
    turns = Turn.objects.filter(space=space, space__memberships__user=user).select_related("round", "session")
    return turns.defer("search").get(pk=turn_id)


def moment_in(space: Space, turn: Turn | None) -> Moment:
    """Return where a turn of the space, or now, stands on the line of its rounds."""
    stops = stops_of(remembered_rounds(space).order_by("id")[: STOPS + 1])
    is_long = len(stops) > STOPS
    if is_long:
        stops = stops_spread(space)
    at = LARGEST_ID if turn is None else turn.round_id
    position = len(stops) if turn is None else max(bisect_right([stop.round_id for stop in stops], at) - 1, 0)
    around = stops_around(space, at) if is_long else stops
    return Moment(
        turn=turn,
        stops=tuple(stops),
        position=position,
        before=max(((stop.round_id, stop.turn_id) for stop in around if stop.round_id < at), default=(0, None))[1],
        after=min(((stop.round_id, stop.turn_id) for stop in around if stop.round_id > at), default=(0, None))[1],
    )


def remembered_rounds(space: Space) -> QuerySet[Round]:
    """Return the rounds of what is remembered; what was said without memory is on no page of it."""
    return Round.objects.filter(space=space).exclude(maintenance=MaintenanceState.SKIPPED)


def stops_of(rounds: QuerySet[Round]) -> list[Stop]:
    first = Turn.objects.filter(round=OuterRef("pk")).order_by("index").values("pk")[:1]
    rows = rounds.annotate(first_turn=Subquery(first)).values_list("pk", "first_turn")
    return [Stop(round_id, turn_id) for round_id, turn_id in rows if turn_id is not None]


def stops_around(space: Space, round_id: int) -> list[Stop]:
    """Return the rounds next to one on either side."""
    rounds = remembered_rounds(space)
    before = rounds.filter(pk__lt=round_id).order_by("-pk").values("pk")[:1]
    after = rounds.filter(pk__gt=round_id).order_by("pk").values("pk")[:1]
    return stops_of(Round.objects.filter(Q(pk=Subquery(before)) | Q(pk=Subquery(after))).order_by("pk"))


def stops_spread(space: Space) -> list[Stop]:
    """Return so many rounds of a long line, spread over it by their numbers."""
    with connection.cursor() as cursor:
        cursor.execute(SPREAD, {"space": space.pk, "steps": STOPS - 1})
        return [Stop(round_id, turn_id) for round_id, turn_id in cursor.fetchall() if turn_id is not None]
