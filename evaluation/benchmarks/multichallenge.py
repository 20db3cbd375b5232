"""MultiChallenge (Deshpande et al., 2025): conversations whose last message a model is to answer, one JSON a line.

    {"QUESTION_ID", "AXIS", "CONVERSATION": [{"role", "content"}], "TARGET_QUESTION", "PASS_CRITERIA"}

Users and assistant take turns, the user first and last; what the assistant said before is played as it stands. Whether the
last reply passes takes a judge.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json_lines
from evaluation.core.tasks.types import Scoring, Task, TaskTurn
from memory.core.types import Role

NAME = "multichallenge"
ID = "QUESTION_ID"


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "TARGET_QUESTION" in first_record


def tasks(path: Path) -> Iterator[Task]:
    """Yield the file's conversations as they are read."""
    for record in read_json_lines(path):
        yield task(record)


def task(record: Field) -> Task:
    conversation = record.need("CONVERSATION")
    said = conversation.items()
    for place, one in enumerate(said):
        role = one.need("role")
        if role.role() is not (Role.ASSISTANT if place % 2 else Role.USER):
            role.fail("user and assistant in turn, the user first")
    if len(said) % 2 == 0:
        conversation.fail("a message of the user's at the end")
    asked, right = (record.need(name).name() for name in ("TARGET_QUESTION", "PASS_CRITERIA"))
    texts = [one.need("content").text() for one in said]
    given = [*texts[1::2], None]
    return Task(
        id=record.need("QUESTION_ID").name(),
        category=record.need("AXIS").name(),
        scoring=Scoring.JUDGE,
        turns=tuple(TaskTurn(text, reply) for text, reply in zip(texts[::2], given, strict=True)),
        criteria=(f"{asked} The answer has to be {right}.",),
    )
