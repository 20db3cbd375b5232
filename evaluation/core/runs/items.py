"""The items of a frozen case: what is put to each system, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.tasks.types import Task
from evaluation.core.types import Case, CaseQuestion

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
