"""The types of digests: what is digested, and the digests with the indices of their sources."""

from dataclasses import dataclass, field
from datetime import datetime

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
