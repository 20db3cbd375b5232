"""Lost in Conversation (Laban et al., 2025): GSM8K's problems, each also cut into shards that are told turn by turn.

A file is a JSON list of {"task_id", "task": "math", "question", "answer": "... #### 16", "shards": [{"shard_id", "shard"}]}.
A problem is a task in each mode: its question whole, all its shards in one message, or one shard a turn. Other tasks of
the benchmark are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json
from evaluation.core.tasks.attempts import number_of
from evaluation.core.tasks.types import Mode, Scoring, Task, TaskTurn

NAME = "lost_in_conversation"
ID = "task_id"
MATH = "math"
RESULT = "####"


def recognises(path: Path, first_record: object) -> bool:
    return isinstance(first_record, dict) and "shards" in first_record and "task_id" in first_record


def tasks(path: Path) -> Iterator[Task]:
    """Yield the file's problems, each in every mode."""
    for number, content in enumerate(Field(read_json(path), 0).items(), start=1):
        yield from in_modes(Field(content.value, number))


def in_modes(record: Field) -> Iterator[Task]:
    kind = record.need("task")
    if kind.name() != MATH:
        kind.fail(f"{MATH!r}, the one task that is read")
    name, question, result = record.need("task_id").name(), record.need("question").name(), result_of(record)
    shards = shards_of(record)
    told = {
        Mode.FULL: [question],
        Mode.CONCATENATED: ["Take all of this together:\n" + "\n".join(f"- {shard}" for shard in shards)],
        Mode.SHARDED: shards,
    }
    for mode, texts in told.items():
        turns = tuple(TaskTurn(text) for text in texts)
        yield Task(name, MATH, Scoring.NUMBER, turns, mode=mode, number=result)


def result_of(record: Field) -> str:
    answer = record.need("answer")
    _, mark, result = answer.text().rpartition(RESULT)
    if not mark or number_of(result) is None:
        answer.fail(f"a solution that ends with {RESULT} and a number")
    return result.strip()


def shards_of(record: Field) -> list[str]:
    """Return the shards in the order of their ids, which count from 1."""
    given = record.need("shards")
    shards = given.items()
    if not shards:
        given.fail("at least one shard")
    for place, shard in enumerate(shards, start=1):
        number = shard.need("shard_id")
        if number.value != place:
            number.fail(f"{place}, as shards are told in order")
    return [shard.need("shard").name() for shard in shards]
