"""The trace step of a retrieval."""

from dataclasses import dataclass
from typing import ClassVar

from memory.core.tracing import TraceStep, Words
from memory.core.types import Retrieval


@dataclass(frozen=True)
class Retrieved(TraceStep):
    """One retrieval for one question of the message: kinds, ids and scores of what it found, without words."""

    kind: ClassVar[str] = "retrieval"

    question: Words
    retrieval: Retrieval
