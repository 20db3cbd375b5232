"""The roles of forward reasoning. All raise the `LanguageModelError` of a reply that is of no use."""

from collections.abc import Sequence
from typing import Protocol

from memory.core.forward_reasoning.types import Gap, Intent, Move, Pool, Reflection, TakenStep
from memory.core.types import RetrievalQuery


class QueryRewriter(Protocol):
    def rewrite(self, question: RetrievalQuery, *, number: int) -> list[str]:
        """Return at most so many queries by which a memory may be asked for what answers the question."""


class PoolReflector(Protocol):
    def reflect(self, pool: Pool) -> Reflection:
        """Return whether the pool suffices to answer, or else one further query."""


class MemoryActor(Protocol):
    def act(self, question: RetrievalQuery, trajectory: Sequence[TakenStep], *, must_finish: bool = False) -> Move:
        """Return the next thought and action."""


class MemoryGuide(Protocol):
    """Captures intents, finds missing slots, and scores units by them."""

    def capture_intent(self, question: RetrievalQuery, *, number: int) -> Intent:
        """Return what the question is after, with at most so many queries."""

    def find_gap(self, intent: Intent, pool: Pool, *, number: int) -> Gap:
        """Return what the pool lacks, with at most so many queries."""

    def score(self, pool: Pool, slots: Sequence[str]) -> dict[str, float]:
        """Return by id how directly a unit answers or fills a slot, in [0, 1]; one that does neither may be left out."""
