"""Records a dialogue that takes place elsewhere, turn by turn."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from memory.core.types import Role
from memory.models import MaintenanceState, Round, Session, Turn
from memory.services.dialogue import round_add_turn, round_complete, round_open, session_lock, turn_by_key


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
