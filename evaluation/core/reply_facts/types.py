"""The frozen types of the check of a reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memory.core.grounded_generation.knowledge import KnowledgeSource, PassageSource
from memory.core.grounded_generation.verification import FactStatus, Ground, dialogue_fact_score, not_enough_proportion
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
    """A ground with its id (a row's of memory; none of what is from outside), and its words as they were if read otherwise.

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


@dataclass(frozen=True)
class FactFigures:
    """`claims` are the facts that can be true or false, `decided` those that are. NEIP is 1 without claims, and absent where
    nothing was checked.
    """

    claims: int
    supported: int
    decided: int
    score: float | None
    not_enough: float | None


UNCHECKED = FactFigures(claims=0, supported=0, decided=0, score=None, not_enough=None)


def figures_of(verdicts: Iterable[str]) -> FactFigures:
    statuses = [FactStatus(verdict) for verdict in verdicts if verdict != Verdict.NOT_A_CLAIM]
    return FactFigures(
        claims=len(statuses),
        supported=statuses.count(FactStatus.TRUE),
        decided=len(statuses) - statuses.count(FactStatus.NOT_ENOUGH),
        score=dialogue_fact_score(statuses),
        not_enough=not_enough_proportion(statuses),
    )


PASSAGES_A_FACT = 3
PASSAGES, TRIPLES = 20, 20


@dataclass(frozen=True)
class FromPassages:
    """Implements `GroundSource` by passages: the best of each fact, then the next ones."""

    source: PassageSource

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        found = [self.source.evidence_for(fact, reply.dialogue, limit=PASSAGES_A_FACT) for fact in facts]
        by_rank = (some[rank] for rank in range(PASSAGES_A_FACT) for some in found if rank < len(some))
        return [FoundGround(GroundKind.PASSAGE, one) for one in list(dict.fromkeys(by_rank))[:PASSAGES]]


@dataclass(frozen=True)
class FromKnowledge:
    """Implements `GroundSource` by the triples of what the reply or the dialogue before it names."""

    source: KnowledgeSource

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        triples = self.source.candidates([*reply.dialogue, reply.text], limit=TRIPLES)
        return [FoundGround(GroundKind.KNOWLEDGE, Ground(triple.text, base_id=triple.base_id)) for triple in triples]
