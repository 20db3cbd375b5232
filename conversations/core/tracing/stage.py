"""A step of the pipeline that began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memory.core.tracing import TraceStep, Words


@dataclass(frozen=True)
class Stage(TraceStep):
    """`name` is for machines, `detail` for the quiet line of progress: it is shown as long as the reply is being written."""

    kind: ClassVar[str] = "stage"
    words_pass: ClassVar[bool] = True

    name: str
    detail: Words = ""
