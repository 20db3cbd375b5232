"""Records a dialogue that takes place elsewhere, turn by turn, or many rounds of one that took place."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from memory import events
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Session, Turn
from memory.services.dialogue import (
    maintenance_enqueue,
    round_add_turn,
    round_complete,
    round_open,
    session_lock,
    turn_by_key,
)
from memory.services.quotas import room_check


class TurnRefused(Exception):
    """Raised where a turn does not fit its session. The message is a sentence for the person who asked."""


@dataclass(frozen=True)
class RecordedTurn:
    """A stored turn. `is_new` is false where an earlier call with the same key stored it."""

    turn: Turn
    is_new: bool


@transaction.atomic
def turn_record(
    *,
    session: Session,
    speaker: str,
    role: Role,
    text: str,
    said_at: datetime,
    key: str = "",
    ends_round: bool | None = None,
) -> RecordedTurn:
    """Store a turn: a user's opens a round; an assistant's completes it and queues its maintenance.

    `ends_round` overrides that: True for a user's turn that nobody will answer, False where more replies follow. An open
    round is completed when the next user speaks. Raises `TurnRefused` if the key belongs to another turn already.
    """
    session_lock(session.pk)
    known = turn_by_key(session, key)
    if known is not None:
        if (known.role, known.text) != (role, text):
            raise TurnRefused(f"The key {key!r} stands for another turn of this session. Nothing was stored.")
        return RecordedTurn(known, is_new=False)
    last = Round.objects.filter(session=session, maintenance=MaintenanceState.WAITING).order_by("-index").first()
    if role == Role.ASSISTANT and last is not None:
        turn = round_add_turn(round=last, speaker=speaker, role=role, text=text, said_at=said_at, key=key)
    else:
        if last is not None:
            round_complete(round=last)
        turn = round_open(session=session, speaker=speaker, role=role, text=text, said_at=said_at, key=key)
    if ends_round if ends_round is not None else role == Role.ASSISTANT:
        round_complete(round=turn.round)
    return RecordedTurn(turn, is_new=True)


@dataclass(frozen=True)
class TurnToRecord:
    """A turn of a dialogue that took place."""

    speaker: str
    role: Role
    text: str
    said_at: datetime
    key: str


@dataclass(frozen=True)
class RoundToRecord:
    """A whole round of a dialogue that took place. Nothing is read of a wish about the memory."""

    turns: tuple[TurnToRecord, ...]
    is_wish: bool = False


@transaction.atomic
def rounds_record(*, session: Session, rounds: Sequence[RoundToRecord]) -> None:
    """Store rounds at the end of a session and queue their maintenance as a backlog, in a few queries however many they are.

    None of their turns' keys may be the session's already. Raises `QuotaReached` where the space has no room for them.
    """
    locked = session_lock(session.pk)
    texts = [turn.text for one in rounds for turn in one.turns]
    room_check(locked.space, turns=len(texts), size=sum(len(text.encode()) for text in texts))
    last_round = Round.objects.filter(session=locked).aggregate(last=Max("index"))["last"]
    last_turn = Turn.objects.filter(session=locked).aggregate(last=Max("index"))["last"]
    learnt = [locked.is_remembered and not one.is_wish for one in rounds]
    made = Round.objects.bulk_create(
        Round(
            session=locked,
            space_id=locked.space_id,
            index=number,
            is_wish=one.is_wish,
            is_backlog=True,
            maintenance=MaintenanceState.PENDING if is_learnt else MaintenanceState.SKIPPED,
        )
        for number, (one, is_learnt) in enumerate(
            zip(rounds, learnt, strict=True), start=0 if last_round is None else last_round + 1
        )
    )
    said = [(round, turn) for round, one in zip(made, rounds, strict=True) for turn in one.turns]
    Turn.objects.bulk_create(
        Turn(
            round=round,
            session=locked,
            space_id=locked.space_id,
            index=number,
            role=turn.role,
            speaker=turn.speaker[:120],
            text=turn.text,
            said_at=turn.said_at,
            key=turn.key,
        )
        for number, (round, turn) in enumerate(said, start=0 if last_turn is None else last_turn + 1)
    )
    if any(learnt):
        maintenance_enqueue(space_id=locked.space_id)
    for round, is_learnt in zip(made, learnt, strict=True):
        if not is_learnt:
            events.round_ended.send(sender=Round, round_id=round.pk)
