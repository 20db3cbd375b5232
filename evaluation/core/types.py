"""Types of a benchmark's cases, whatever format they came from, and their turns in rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.core.types import Role


@dataclass(frozen=True)
class CaseTurn:
    """One utterance of a recorded dialogue. `key` names it within its case; `said_at` is aware."""

    role: Role
    speaker: str
    text: str
    said_at: datetime
    key: str


@dataclass(frozen=True)
class CaseSession:
    """One dated dialogue of a case. `key` names it within its case."""

    key: str
    started_at: datetime
    turns: tuple[CaseTurn, ...]


@dataclass(frozen=True)
class CaseQuestion:
    """A question about a case, and what counts as a right reply.

    `answers` are alternatives of which the reply must contain one. Empty, the only right reply says that it is not
    known. None, the file has no short answer to compare with, and the question is not scored. `forbidden` must not
    occur in the reply (the format's "not"). `evidence` are the keys of the turns or sessions that the answer stands in,
    as far as the file's own references could be read; what could not be read is kept as it is. `marked` are the keys of
    turns that the file itself marks as holding the answer, beside the sessions that it names. `criteria` are sentences that
    a judge holds the reply against, of benchmarks that have such.
    """

    id: str
    question: str
    asked_at: datetime
    asked_by: str
    answers: tuple[str, ...] | None
    forbidden: tuple[str, ...] = ()
    category: str = ""
    evidence: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One unit of a benchmark: the sessions that are remembered and the questions about them."""

    id: str
    category: str
    sessions: tuple[CaseSession, ...]
    questions: tuple[CaseQuestion, ...]

    @property
    def turn_count(self) -> int:
        return sum(len(session.turns) for session in self.sessions)


def group_rounds(turns: Sequence[CaseTurn]) -> list[tuple[CaseTurn, ...]]:
    """Return the session's turns as rounds, in order.

    The first turn opens the first round. A new round opens when the side that opened the session (its role and speaker)
    speaks again after somebody else: several messages in a row, and the replies of several people, stay in one round.
    """
    rounds: list[list[CaseTurn]] = []
    answered = False
    for turn in turns:
        is_opener = bool(rounds) and (turn.role, turn.speaker) == (turns[0].role, turns[0].speaker)
        if not rounds or (is_opener and answered):
            rounds.append([])
            answered = False
        elif not is_opener:
            answered = True
        rounds[-1].append(turn)
    return [tuple(round_turns) for round_turns in rounds]
