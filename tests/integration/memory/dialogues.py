"""Writing a few rounds down in one line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memory.core.types import Role
from memory.models import Round, Session, Space
from memory.services import round_add_turn, round_complete, round_open, session_create

START = datetime(2024, 3, 2, 18, 20, tzinfo=UTC)


def say(session: Session, *texts: str, speaker: str = "Ana") -> list[Round]:
    """Return one complete round a text, each a minute after the one before, with a short reply."""
    rounds = []
    for text in texts:
        at = START + timedelta(minutes=session.turns.count())
        turn = round_open(session=session, speaker=speaker, role=Role.USER, text=text, said_at=at)
        round_add_turn(round=turn.round, speaker="assistant", role=Role.ASSISTANT, text="Noted.", said_at=at)
        round_complete(round=turn.round)
        rounds.append(turn.round)
    return rounds


def new_session(space: Space, key: str = "") -> Session:
    return session_create(space=space, started_at=START, key=key)
