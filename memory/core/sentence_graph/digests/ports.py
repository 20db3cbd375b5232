"""The roles of digests. Each takes a batch, so that several sessions, rounds or groups of facts cost one wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.sentence_graph.digests.types import DatedFact, Insight, RoundWords, SessionWords, Summary, ToldFact


class SummaryWriter(Protocol):
    """Sums sessions up (SGMem, Appendix B.3)."""

    def write_many(self, sessions: Sequence[SessionWords]) -> list[Summary]:
        """Return one summary a session."""


class FactWriter(Protocol):
    """Writes down what rounds tell of people (SGMem, Appendix B.4)."""

    def write_many(self, rounds: Sequence[RoundWords]) -> list[list[ToldFact]]:
        """Return the facts of each round, in the order of the sentences that say them."""


class InsightWriter(Protocol):
    """Finds what facts amount to together: habits, preferences, aims (SGMem, Appendix B.5)."""

    def write_many(self, groups: Sequence[Sequence[DatedFact]]) -> list[list[Insight]]:
        """Return the insights over each group of facts; each merges at least two."""


@dataclass(frozen=True)
class DigestWriters:
    """What plays the three roles; `name` is the engine's that wrote a digest."""

    name: str
    summaries: SummaryWriter
    facts: FactWriter
    insights: InsightWriter
