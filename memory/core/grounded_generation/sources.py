"""Where knowledge for a dialogue comes from: triples of what it names, and passages for what it states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.core.grounded_generation.knowledge import KnowledgeTriple
from memory.core.grounded_generation.verification import Ground


class KnowledgeSource(Protocol):
    def candidates(self, dialogue: Sequence[str], *, limit: int) -> list[KnowledgeTriple]:
        """Return the triples of the entities that a dialogue names, those named last first."""


class PassageSource(Protocol):
    def evidence_for(self, fact: str, dialogue: Sequence[str], *, limit: int) -> list[Ground]:
        """Return the passages for a fact of a dialogue, the best first."""
