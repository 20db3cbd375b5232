"""Reads spaces that dialogues were replayed into."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from evaluation.core.errors import UnknownName
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Session, Space, TripleRecord, Turn
from memory.selectors import spaces_of

SPACES_SHOWN = 20


@dataclass(frozen=True)
class GraphCounts:
    triples: int
    superseded: int


def turn_keys(session: Session) -> dict[str, int]:
    """Return the round id of every turn of the session with a key, for complete rounds."""
    turns = Turn.objects.filter(session=session).exclude(key="").exclude(round__maintenance=MaintenanceState.WAITING)
    return dict(turns.values_list("key", "round_id"))


def rounds_to_maintain(space: Space) -> QuerySet[Round]:
    return Round.objects.filter(space=space, maintenance__in=(MaintenanceState.PENDING, MaintenanceState.RUNNING))


def failed_rounds(space: Space) -> list[Round]:
    return list(Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED).order_by("id"))


def failed_round_count(space: Space) -> int:
    return Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED).count()


def failed_round_reason(space: Space) -> str:
    """Return why the first failed round of the space failed; "" where none did."""
    failed = Round.objects.filter(space=space, maintenance=MaintenanceState.FAILED).order_by("id")
    return failed.values_list("maintenance_error", flat=True).first() or ""


def graph_counts(space_ids: list[int]) -> GraphCounts:
    counts = TripleRecord.objects.filter(space_id__in=space_ids).aggregate(
        triples=Count("id"), superseded=Count("id", filter=Q(superseded_at__isnull=False))
    )
    return GraphCounts(**counts)


def first_user_speaker(space: Space) -> str:
    """Return the first speaker on the user's side; "" for an empty space."""
    turns = Turn.objects.filter(space=space, role=Role.USER.value).order_by(
        "session__started_at", "session_id", "index"
    )
    return turns.values_list("speaker", flat=True).first() or ""


def space_named(user: User, name: str) -> Space:
    """Return the user's space of that name.

    The name of a replayed file or case is enough where only one of the user's spaces has it ("conv-26" for "locomo/conv-26").
    Raises `UnknownName`, which lists the spaces.
    """
    spaces = spaces_of(user)
    for match in (Q(name=name), Q(name__iexact=name), Q(name__iendswith=f"/{name}"), Q(name__istartswith=f"{name}/")):
        found = list(spaces.filter(match)[:SPACES_SHOWN])
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownName(f"{name!r} may be any of these spaces: {listed(found)}. Give the whole name.")
    there = list(spaces[: SPACES_SHOWN + 1])
    raise UnknownName(f"There is no space {name!r}. Spaces: {listed(there) or 'none yet; replay a file first'}.")


def listed(spaces: list[Space]) -> str:
    names = ", ".join(repr(space.name) for space in spaces[:SPACES_SHOWN])
    return f"{names}, ..." if len(spaces) > SPACES_SHOWN else names
