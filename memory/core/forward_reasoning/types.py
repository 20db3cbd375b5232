"""The words of forward reasoning (GOAL-MEM, Appendix F): the pool of what was retrieved, and how a run ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from memory.core.ports import Recall
from memory.core.types import MemoryUnit, RetrievalQuery

# k_max^ret of Appendix F: how many different units may come to an answer.
CAP = 60


class Ending(StrEnum):
    """Why a method stopped retrieving."""

    AT_ONCE = "it retrieves once"
    SUFFICIENT = "what was found was judged sufficient"
    NO_QUERY = "no new query was proposed"
    NOTHING_NEW = "no new memory"
    LIMIT = "as many steps as a search may take"
    FINISHED = "the model finished"


@dataclass(frozen=True)
class Pool:
    """What was retrieved for a question: different units in the order in which they were found, and by which queries."""

    question: RetrievalQuery
    units: tuple[MemoryUnit, ...] = ()
    queries: tuple[str, ...] = ()

    def widened(self, queries: Iterable[str], *, memory: Recall, fan_out: int) -> Pool:
        """Return the pool with what each of the queries finds, at most `fan_out` units a query and `CAP` in all."""
        found = {unit.id: unit for unit in self.units}
        asked = list(queries)
        for query in asked:
            for unit in memory.retrieve(replace(self.question, text=query), limit=fan_out):
                found.setdefault(unit.id, unit)
        return replace(self, units=tuple(found.values())[:CAP], queries=(*self.queries, *asked))

    def unasked(self, queries: Iterable[str]) -> list[str]:
        """Return those of the queries that were not asked yet, each once."""
        known = {query.casefold() for query in self.queries}
        new: dict[str, str] = {}
        for query in queries:
            if query.casefold() not in known:
                new.setdefault(query.casefold(), query)
        return list(new.values())


@dataclass(frozen=True)
class ForwardAnswer:
    """What a method answered, from what, how it ended, and how often it called on a role."""

    answer: str
    pool: Pool
    ending: Ending
    calls: int

    @property
    def retrievals(self) -> int:
        return len(self.pool.queries)


@dataclass(frozen=True)
class Reflection:
    """A judgement of a pool: whether it suffices, and the query to ask next where it does not."""

    is_sufficient: bool
    next_query: str = ""
    rationale: str = ""


@dataclass(frozen=True)
class Move:
    """A thought with one action: `Retrieve[words]`, or `Finish[words]` where it finishes."""

    thought: str
    words: str
    finishes: bool


@dataclass(frozen=True)
class TakenStep:
    """A move of a trajectory with its observation: the units that it added to the pool."""

    move: Move
    observation: tuple[MemoryUnit, ...]


@dataclass(frozen=True)
class Intent:
    """What a question is after, and queries that look for it."""

    description: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Gap:
    """What a pool lacks: the missing slots, none where it suffices, and queries that may fill them."""

    is_sufficient: bool
    slots: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


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
