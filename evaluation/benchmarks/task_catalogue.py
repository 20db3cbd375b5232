"""The known formats of tasks over several turns. A new one is a module with NAME, `recognises`, `tasks`, and a line here."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from evaluation.benchmarks import lost_in_conversation, mteval, multichallenge
from evaluation.benchmarks.catalogue import distinct, first_record
from evaluation.core.errors import UnknownFormat
from evaluation.core.tasks.types import Task


class TaskFormat(Protocol):
    NAME: str
    ID: str

    def recognises(self, path: Path, first_record: object) -> bool:
        """Say whether a file whose first record is this one has the format."""

    def tasks(self, path: Path) -> Iterator[Task]:
        """Yield the file's tasks; raise `MalformedBenchmark` at the first that does not follow the format."""


TASK_FORMATS: tuple[TaskFormat, ...] = (multichallenge, lost_in_conversation, mteval)


def task_format(path: Path) -> TaskFormat | None:
    """Return the format of a file of tasks; None for one that has none."""
    first = first_record(path) if path.is_file() else None
    return next((one for one in TASK_FORMATS if one.recognises(path, first)), None)


def read_tasks(path: Path, *, modes: Collection[str], limit: int | None = None) -> tuple[str, list[Task]]:
    """Return the format of a file, and the tasks of its first `limit` items that are told in one of the modes, or have none.

    Raises `UnknownFormat`, and `MalformedBenchmark` with the record and the field, also where two tasks have the same id.
    """
    found = task_format(path)
    if found is None:
        known = ", ".join(one.NAME for one in TASK_FORMATS)
        raise UnknownFormat(f"{path.name} has tasks of none of the known formats: {known}.")
    read = list(distinct(found.tasks(path), field=found.ID, key=attrgetter("id", "mode")))
    taken = set(list(dict.fromkeys(task.id for task in read))[:limit])
    return found.NAME, [task for task in read if task.id in taken and (not task.mode or task.mode in modes)]
