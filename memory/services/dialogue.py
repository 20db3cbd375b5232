"""Stores dialogue: sessions, rounds and turns."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from memory import events
from memory.core.types import Role
from memory.models import MaintenanceState, OutboxRecord, Round, Session, Space, Turn
from memory.services.quotas import room_check

MAINTENANCE_TASK = "memory.maintain_space"
MAINTENANCE_QUEUE = "maintenance"


def session_create(
    *,
    space: Space,
    started_at: datetime,
    title: str = "",
    key: str = "",
    is_remembered: bool = True,
    replies_by: str = "",
) -> Session:
    """Create and return a session of the space; if one has the same non-empty `key`, return that one."""
    fields = {
        "started_at": started_at,
        "title": title[:200],
        "is_remembered": is_remembered,
        "replies_by": replies_by,
    }
    if not key:
        return Session.objects.create(space=space, **fields)
    session, _ = Session.objects.get_or_create(space=space, key=key, defaults=fields)
    return session


def session_lock(session_id: int) -> Session:
    """Lock a session so that only the caller's transaction adds turns to it, and return it.

    Rows that refer to the session may still be inserted: whoever holds the space's lock inserts some, while whoever adds a
    turn waits for that lock at its commit. A transaction that needs both locks takes this one first.
    """
    return Session.objects.select_for_update(no_key=True, of=("self",)).select_related("space").get(pk=session_id)


@transaction.atomic
def round_open(*, session: Session, speaker: str, role: Role, text: str, said_at: datetime, key: str = "") -> Turn:
    """Open a round with its first turn and return the turn; return the session's turn of the same non-empty `key` if any.

    Raises `QuotaReached` where the space has no room for it.
    """
    space = session_lock(session.pk).space
    known = turn_by_key(session, key, role=role)
    if known is not None:
        return known
    room_check(space, turns=1, size=len(text.encode()))
    last = Round.objects.filter(session=session).aggregate(last=Max("index"))["last"]
    opened = Round.objects.create(session=session, space_id=session.space_id, index=0 if last is None else last + 1)
    return turn_append(opened, speaker=speaker, role=role, text=text, said_at=said_at, key=key)


@transaction.atomic
def round_add_turn(
    *,
    round: Round,
    speaker: str,
    role: Role,
    text: str,
    said_at: datetime,
    key: str = "",
    is_generated: bool = False,
) -> Turn:
    """Add a turn to an open round and return it; idempotent by `key`, as `round_open` is.

    `is_generated` marks a turn that the product wrote: its words are never evidence of what was said, and no quota refuses
    the reply to a message that was taken. Raises `QuotaReached` for any other turn that the space has no room for.
    """
    session = session_lock(round.session_id)
    known = turn_by_key(session, key, role=role)
    if known is not None:
        return known
    if not is_generated:
        room_check(session.space, turns=1, size=len(text.encode()))
    return turn_append(
        round, speaker=speaker, role=role, text=text, said_at=said_at, key=key, is_generated=is_generated
    )


@transaction.atomic
def round_complete(*, round: Round, engine: str = "", is_wish: bool = False) -> None:
    """Complete a round and queue its maintenance by `engine` (empty: the configured one). A second call changes nothing.

    What was read of it before it was complete stays. Nothing is read of a wish about the memory.
    """
    is_remembered = Session.objects.values_list("is_remembered", flat=True).get(pk=round.session_id)
    is_learnt = is_remembered and not is_wish
    state = MaintenanceState.PENDING if is_learnt else MaintenanceState.SKIPPED
    open_states = (MaintenanceState.WAITING, MaintenanceState.HEARING)
    rounds = Round.objects.filter(pk=round.pk, maintenance__in=open_states)
    changed = rounds.update(maintenance=state, engine=engine, is_wish=is_wish)
    if changed and is_learnt:
        maintenance_enqueue(space_id=round.space_id)
    elif changed:
        events.round_ended.send(sender=Round, round_id=round.pk)


def maintenance_enqueue(*, space_id: int) -> None:
    """Queue, in the caller's transaction, the maintenance of the space's pending rounds."""
    OutboxRecord.objects.create(task=MAINTENANCE_TASK, arguments={"space_id": space_id}, queue=MAINTENANCE_QUEUE)


def turn_by_key(session: Session, key: str, *, role: Role | None = None) -> Turn | None:
    """Return the session's turn with a key, of one role or of any, also one that is put aside; None for an empty key."""
    turns = Turn.everything.filter(session=session, key=key, **({"role": role} if role is not None else {}))
    return turns.select_related("round").first() if key else None


def turn_append(
    round: Round,
    *,
    speaker: str,
    role: Role,
    text: str,
    said_at: datetime,
    key: str,
    is_generated: bool = False,
) -> Turn:
    last = Turn.objects.filter(session_id=round.session_id).aggregate(last=Max("index"))["last"]
    return Turn.objects.create(
        round=round,
        session_id=round.session_id,
        space_id=round.space_id,
        index=0 if last is None else last + 1,
        role=role,
        speaker=speaker[:120],
        text=text,
        said_at=said_at,
        key=key,
        is_generated=is_generated,
    )
