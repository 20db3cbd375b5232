"""What the built-in extraction of evidence asks of a learned reader: marked words, and how they bear on earlier ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memory.core.types import MessageInContext, Span


class Marked(StrEnum):
    """What a piece of a user's turn brings to the state of a task."""

    ASSERT = "assert"
    REQUIRE = "require"
    FORBID = "forbid"
    PREFER = "prefer"
    GUESS = "guess"
    MISSING = "missing"
    SUPPOSE = "suppose"
    RETRACT = "retract"
    SWITCH = "switch"


class Bearing(StrEnum):
    """How a piece of evidence bears on an earlier one."""

    NONE = "none"
    REPLACES = "replaces"
    ENDS = "ends"
    RESTS_ON = "rests_on"
    ANSWERS = "answers"
    AGAINST = "against"


class Fate(StrEnum):
    """What becomes of an earlier piece of evidence by a turn."""

    STANDS = "stands"
    REPLACED = "replaced"
    ENDED = "ended"
    ANSWERED = "answered"


@dataclass(frozen=True)
class MarkedWords:
    """A piece of a message, its place in characters, and what it brings. `probability` is of its kind, in [0, 1]."""

    text: str
    span: Span
    kind: Marked
    probability: float


@dataclass(frozen=True)
class EvidencePair:
    """An earlier piece of evidence (for something missing: the question that asks for it), and a new one in its message."""

    earlier: str
    earlier_kind: Marked
    message: MessageInContext
    new: MarkedWords


@dataclass(frozen=True)
class FatePair:
    """An earlier piece of evidence (for something missing: the question that asks for it), and a later message."""

    earlier: str
    earlier_kind: Marked
    message: MessageInContext


class EvidenceReader(Protocol):
    """Marks what a user's turn brings to the state of a task, and says how it bears on what is known.

    `name` identifies the weights.
    """

    name: str

    def mark_many(self, messages: Sequence[MessageInContext]) -> list[tuple[MarkedWords, ...]]:
        """Return the marked words of each message, in their order; they do not overlap."""

    def link_many(self, pairs: Sequence[EvidencePair]) -> list[dict[Bearing, float]]:
        """Return of each pair how probable each bearing is; the probabilities of a pair sum to 1."""

    def fates_many(self, pairs: Sequence[FatePair]) -> list[dict[Fate, float]]:
        """Return of each pair how probable each fate of the earlier piece is; the probabilities of a pair sum to 1."""
