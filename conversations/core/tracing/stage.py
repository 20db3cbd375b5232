"""The trace step of a pipeline stage that began."""

from dataclasses import dataclass
from typing import ClassVar

from memory.core.tracing import TraceStep, Words


@dataclass(frozen=True)
class Stage(TraceStep):
    """`name` is for machines, `detail` is the progress line, shown while the reply is being written."""

    kind: ClassVar[str] = "stage"
    words_pass: ClassVar[bool] = True

    name: str
    detail: Words = ""
