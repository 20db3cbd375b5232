"""The words of digests: what is digested, and what comes of it, with the places of its sources."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.core.types import Utterance


@dataclass(frozen=True)
class SessionWords:
    """The sentences of a session in order, one unit vector a sentence, and the summary that it has so far."""

    sentences: tuple[Utterance, ...]
    vectors: NDArray[np.float32]
    earlier: str = ""


@dataclass(frozen=True)
class RoundWords:
    """The sentences of a round in order, and the utterances before them, oldest first."""

    sentences: tuple[Utterance, ...]
    context: tuple[Utterance, ...] = ()


@dataclass(frozen=True)
class DatedFact:
    """A fact that is remembered, and when it was said (aware datetime)."""

    text: str
    said_at: datetime


@dataclass(frozen=True)
class Summary:
    """What a session was about. `sources` are places in its sentences; empty text where it was about nothing.

    `goes_on` says that the summary before it was read too, so that it rests on the sources of that one as well.
    """

    text: str = ""
    sources: tuple[int, ...] = ()
    goes_on: bool = False


@dataclass(frozen=True)
class ToldFact:
    """A sentence that stands alone. `source` is the place of the round's sentence that says it."""

    text: str
    source: int


@dataclass(frozen=True)
class Insight:
    """What several facts amount to. `merges` are their places, `said_at` is the latest of their times."""

    text: str
    merges: tuple[int, ...]
    said_at: datetime
