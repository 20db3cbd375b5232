"""What a learned reader finds in words: spans with probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory.core.types.dialogue import Span


class FactFlag(StrEnum):
    """How a fact is said, where it is not simply so. The values are those of the labelled examples."""

    DENIED = "neg"
    PAST = "past"
    FUTURE = "fut"
    SUPPOSED = "hyp"
    ASKED = "ask"
    REPORTED = "rep"
    CORRECTED = "fix"


@dataclass(frozen=True)
class MessageInContext:
    """A message to read, and what was said just before it."""

    text: str
    before: str = ""


@dataclass(frozen=True)
class WordSpan:
    """A run of words: of the message, or of what was said before it."""

    text: str
    span: Span
    is_before: bool = False


@dataclass(frozen=True)
class ReadFact:
    """A fact that a reader found. `subject` is None for the speaker; `probability` is that all of it is right."""

    subject: WordSpan | None
    predicate: str
    object: WordSpan
    flags: frozenset[FactFlag]
    probability: float


@dataclass(frozen=True)
class SaidTurn:
    """A turn to read, with who said it, and what was said just before it, by whom."""

    text: str
    speaker: str = ""
    before: str = ""
    before_speaker: str = ""


@dataclass(frozen=True)
class QuestionOnTurns:
    """A question put to turns, which are in the order in which they were said."""

    question: str
    turns: tuple[SaidTurn, ...]


@dataclass(frozen=True)
class ReadAnswer:
    """The words of a turn that answer best, and how probably they are the answer: no other turn, and not nothing."""

    words: WordSpan
    probability: float
