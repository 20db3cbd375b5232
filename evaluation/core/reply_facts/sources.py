"""What is known outside of a space's memory as grounds: passages, and the triples of a knowledge graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.reply_facts.types import FoundGround, GroundKind, ReplyToCheck
from memory.core.grounded_generation.sources import KnowledgeSource, PassageSource
from memory.core.grounded_generation.verification import Ground

PASSAGES_A_FACT = 3
PASSAGES, TRIPLES = 20, 20


@dataclass(frozen=True)
class FromPassages:
    """Implements `GroundSource` by passages: the best of each fact, then the next ones."""

    source: PassageSource

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        found = [self.source.evidence_for(fact, reply.dialogue, limit=PASSAGES_A_FACT) for fact in facts]
        by_rank = (some[rank] for rank in range(PASSAGES_A_FACT) for some in found if rank < len(some))
        return [FoundGround(GroundKind.PASSAGE, one, one.key) for one in list(dict.fromkeys(by_rank))[:PASSAGES]]


@dataclass(frozen=True)
class FromKnowledge:
    """Implements `GroundSource` by the triples of what the reply or the dialogue before it names."""

    source: KnowledgeSource

    def grounds_for(self, facts: Sequence[str], reply: ReplyToCheck) -> list[FoundGround]:
        triples = self.source.candidates([*reply.dialogue, reply.text], limit=TRIPLES)
        return [FoundGround(GroundKind.KNOWLEDGE, Ground(triple.text)) for triple in triples]
