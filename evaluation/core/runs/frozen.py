"""Cases as JSON: a run keeps them, so that a worker on any host needs no file."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from evaluation.core.runs.identity import digest_of
from evaluation.core.tasks.types import Task
from evaluation.core.types import Case

_CASE, _TASK = TypeAdapter(Case), TypeAdapter(Task)


def frozen(case: Case | Task) -> dict[str, Any]:
    """Return a case as JSON values."""
    adapter: TypeAdapter[Any] = _CASE if isinstance(case, Case) else _TASK
    content: dict[str, Any] = adapter.dump_python(case, mode="json")
    return content


def case_of(content: Any) -> Case:
    return _CASE.validate_python(content)


def task_of(content: Any) -> Task:
    return _TASK.validate_python(content)


def content_digest(content: dict[str, Any]) -> str:
    """Return the digest of a frozen case without its questions, of which each item has its own."""
    return digest_of({name: value for name, value in content.items() if name != "questions"})
