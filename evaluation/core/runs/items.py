"""The items of a frozen case or dialogue: what is put to each system, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.tasks.types import Scoring, Task, TaskTurn
from evaluation.core.types import Case, CaseQuestion, CaseSession
from memory.core.types import Role

LOCOMO, ADVERSARIAL = "locomo", "adversarial"
# The questions call both people by their names: who asks is neither.
ASKER = "Somebody else"


@dataclass(frozen=True)
class ItemSpec:
    """One question or turn, as `RunItem` has it."""

    key: str
    position: int
    category: str
    question: str
    expected: tuple[str, ...] | None = None
    evidence: tuple[str, ...] = ()


def expected_answers(question: CaseQuestion, *, benchmark: str) -> tuple[str, ...] | None:
    """Return the accepted answers; what LoCoMo gives as an answer to an unanswerable question does not count."""
    return () if benchmark == LOCOMO and question.category == ADVERSARIAL else question.answers


def asker_of(question: CaseQuestion, *, benchmark: str) -> str:
    return ASKER if benchmark == LOCOMO else question.asked_by


def question_items(case: Case, *, benchmark: str) -> list[ItemSpec]:
    """Return an item for each question of a case."""
    return [
        ItemSpec(
            key=question.id,
            position=place,
            category=question.category,
            question=question.question,
            expected=expected_answers(question, benchmark=benchmark),
            evidence=tuple(dict.fromkeys((*question.evidence, *question.marked))),
        )
        for place, question in enumerate(case.questions, start=1)
    ]


def turn_items(task: Task) -> list[ItemSpec]:
    """Return an item for each turn that a system is to reply to; position counts the replies."""
    asked = [(place, turn) for place, turn in enumerate(task.turns, start=1) if turn.given is None]
    return [
        ItemSpec(key=str(place), position=position, category=task.category, question=turn.text)
        for position, (place, turn) in enumerate(asked, start=1)
    ]


def of_each_category(questions: Sequence[CaseQuestion], most: int | None) -> list[CaseQuestion]:
    """Return the first questions of each category, in the order of the file."""
    taken: dict[str, int] = {}
    chosen = []
    for question in questions:
        taken[question.category] = taken.get(question.category, 0) + 1
        if most is None or taken[question.category] <= most:
            chosen.append(question)
    return chosen


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
