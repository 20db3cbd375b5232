"""The frozen types of the check of a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memory.core.grounded_generation.verification import Ground
from memory.core.types import Span


class Verdict(StrEnum):
    """The verdict on a fact: a status of the Dialogue Fact Score, or that the sentence claims nothing."""

    TRUE = "true"
    FALSE = "false"
    NOT_ENOUGH = "not_enough_information"
    NOT_A_CLAIM = "not_a_claim"


class GroundKind(StrEnum):
    """What a fact is held against. A passage and a triple of knowledge come from outside of the space's memory."""

    TRIPLE = "triple"
    SENTENCE = "sentence"
    TURN = "turn"
    PASSAGE = "passage"
    KNOWLEDGE = "knowledge"


@dataclass(frozen=True)
class FoundGround:
    """A ground with its id (a row's of memory, or the source's own), and its words as they were if it was read otherwise.

    What `is_past` tells what was, or does not hold any more: it decides only about what a reply says of the past.
    """

    kind: GroundKind
    ground: Ground
    id: int | None = None
    words: str = ""
    is_past: bool = False

    @property
    def as_it_was(self) -> str:
        return self.words or self.ground.text


@dataclass(frozen=True)
class ReplyToCheck:
    """A reply, who said it, and the turns before it, oldest first."""

    text: str
    speaker: str
    dialogue: tuple[str, ...] = ()


class GroundSource(Protocol):
    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        """Return what a reply's facts can be held against, the best first."""


@dataclass(frozen=True)
class CheckedFact:
    """A fact, the sentence of the reply that claims it, and the verdict. `ground` is the place of what decided it."""

    text: str
    sentence: Span
    verdict: Verdict
    probability: float | None = None
    ground: int | None = None


@dataclass(frozen=True)
class CheckedReply:
    facts: tuple[CheckedFact, ...]
    grounds: tuple[FoundGround, ...] = ()
