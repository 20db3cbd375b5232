"""Fills in what formats leave out, the same way for every loader: speakers, and times of turns and questions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from evaluation.core.types import CaseSession
from memory.core.types import Role

SPEAKERS = {Role.USER: "User", Role.ASSISTANT: "Assistant"}

# Files without a time for every turn: one follows the other after this pause, short enough that sessions a few minutes apart
# do not overlap.
TURN_PAUSE = timedelta(seconds=15)

QUESTION_DELAY = timedelta(minutes=1)

# The first moment of dialogues that have no date at all, so that a second replay of the file is the same.
UNDATED = datetime(2024, 1, 1, 12, 0, tzinfo=UTC)


def first_user_speaker(sessions: Sequence[CaseSession]) -> str:
    """Return the first speaker on the user's side, whose memory the dialogue becomes."""
    users = (turn.speaker for session in sessions for turn in session.turns if turn.role is Role.USER)
    return next(users, SPEAKERS[Role.USER])


def last_moment(sessions: Sequence[CaseSession]) -> datetime:
    return max((turn.said_at for session in sessions for turn in session.turns), default=UNDATED)
