"""MT-Bench-101 (Bai et al., 2024): one dialogue a line, {"task", "id", "history": [{"user", "bot"}]}.

The replies are a reference, not gold, and nothing is asked about the dialogues. They have no dates: every dialogue
starts at the same fixed moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import SPEAKERS, TURN_PAUSE, UNDATED, Field, read_json_lines
from evaluation.core.types import Case, CaseSession, CaseTurn
from memory.core.types import Role

NAME = "mtbench101"
ID = "id"

TASKS = ("CM", "SI", "AR", "TS", "CC", "CR", "FR", "SC", "SA", "MR", "GR", "IC", "PI")
SIDES = {"user": Role.USER, "bot": Role.ASSISTANT}


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "history" in first_record and "task" in first_record


def cases(path: Path) -> Iterator[Case]:
    """Yield the file's dialogues as they are read."""
    for record in read_json_lines(path):
        yield case(record)


def case(record: Field) -> Case:
    turns: list[CaseTurn] = []
    for exchange in record.need("history").items():
        for name, role in SIDES.items():
            field = exchange.need(name)
            turns.append(
                CaseTurn(
                    role=role,
                    speaker=SPEAKERS[role],
                    text=field.text(),
                    said_at=UNDATED + len(turns) * TURN_PAUSE,
                    key=str(len(turns) + 1),
                )
            )
    return Case(
        id=record.need("id").name(),
        category=task_of(record.need("task")),
        sessions=(CaseSession(key="dialogue", started_at=UNDATED, turns=tuple(turns)),),
        questions=(),
    )


def task_of(field: Field) -> str:
    task = field.name()
    if task not in TASKS:
        field.fail(f"one of the {len(TASKS)} tasks ({', '.join(TASKS)})")
    return task
