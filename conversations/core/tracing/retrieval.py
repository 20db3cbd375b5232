"""What was found among what was said, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from memory.core.tracing import TraceStep, Words
from memory.core.types import Retrieval


@dataclass(frozen=True)
class Retrieved(TraceStep):
    """One retrieval for one question of the message: kinds, ids and scores of what it found, no words of that."""

    kind: ClassVar[str] = "retrieval"

    question: Words
    retrieval: Retrieval
