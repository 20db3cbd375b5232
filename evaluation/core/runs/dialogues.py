"""Recorded dialogues as tasks: what the user said is said again, the replies are a system's own (autoregressive)."""

from __future__ import annotations

from evaluation.core.tasks.types import Scoring, Task, TaskTurn
from evaluation.core.types import Case, CaseSession
from memory.core.types import Role


def dialogues_of(case: Case) -> list[Task]:
    """Return a task for each session of a case that a user speaks in. The category of MT-Bench-101's cases is their task."""
    spoken = [(session, user_turns(session)) for session in case.sessions]
    return [
        Task(
            id=case.id if len(case.sessions) == 1 else f"{case.id}/{session.key}",
            category=case.category,
            scoring=Scoring.JUDGE,
            turns=turns,
        )
        for session, turns in spoken
        if turns
    ]


def user_turns(session: CaseSession) -> tuple[TaskTurn, ...]:
    return tuple(TaskTurn(turn.text) for turn in session.turns if turn.role is Role.USER and turn.text.strip())
