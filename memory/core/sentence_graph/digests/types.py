"""The types of digests: what is digested, and the digests with the indices of their sources."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.core.types import Statement, Utterance


@dataclass(frozen=True)
class SessionWords:
    """The sentences of a session in order, their unit vectors (one row a sentence), and the session's summary so far."""

    sentences: tuple[Utterance, ...]
    vectors: NDArray[np.float32]
    earlier: str = ""


@dataclass(frozen=True)
class RoundWords:
    """The sentences of a round in order, the utterances before them, oldest first, and the statement that they make."""

    sentences: tuple[Utterance, ...]
    context: tuple[Utterance, ...] = ()
    statement: Statement = field(default_factory=Statement)


@dataclass(frozen=True)
class DatedFact:
    """A fact that is remembered, and when it was said (aware datetime)."""

    text: str
    said_at: datetime


@dataclass(frozen=True)
class Summary:
    """What a session was about. `sources` are indices of its sentences; `text` is empty where there was nothing to sum up.

    `goes_on` is true where the summary builds on the one before it and so rests on that one's sources as well.
    """

    text: str = ""
    sources: tuple[int, ...] = ()
    goes_on: bool = False


@dataclass(frozen=True)
class ToldFact:
    """A fact that can be read alone. `source` is the index of the round's sentence that states it."""

    text: str
    source: int


@dataclass(frozen=True)
class Insight:
    """What several facts have in common. `merges` are their indices, `said_at` is the latest of their times."""

    text: str
    merges: tuple[int, ...]
    said_at: datetime


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
