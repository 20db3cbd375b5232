"""The responder `slsm_no_revision`: SLSM without revision (objective O2). All else is `slsm`; its state is only added to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evidence,
    EvidenceExtractor,
    Irrelevant,
    Missed,
    Required,
    StateTurn,
    Withdrawn,
)
from memory.core.semantic_state.keeping import StateKeeper, StateUpdate
from memory.core.types import Utterance


@dataclass(frozen=True)
class AddingStates:
    """Implements `StateKeeper`: no evidence takes back, supersedes or contradicts what a state has."""

    states: StateKeeper

    def update(self, said: Sequence[Utterance], *, round_id: int | None, extractor: EvidenceExtractor) -> StateUpdate:
        return self.states.update(said, round_id=round_id, extractor=_Adding(extractor))


@dataclass(frozen=True)
class _Adding:
    extractor: EvidenceExtractor

    def extract(self, turn: StateTurn) -> Sequence[Evidence]:
        brought = self.extractor.extract(turn)
        return [adding(one) for one in brought if not isinstance(one, Withdrawn | Irrelevant)]


def adding(evidence: Evidence) -> Evidence:
    """Return evidence that leaves what it replaces and what it stands against as they are."""
    if isinstance(evidence, Asserted | Required | Assumed | Missed):
        return replace(evidence, replaces=(), against=())
    return evidence
