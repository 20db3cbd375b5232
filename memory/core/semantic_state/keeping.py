"""Keeps a state over a dialogue: each of the user's turns is read as evidence, which revises it (equation 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.semantic_state.admissibility import TAU
from memory.core.semantic_state.elements import EMPTY_STATE, Refusal, SemanticState, StatusChange
from memory.core.semantic_state.evidence import EvidenceExtractor, StateTurn
from memory.core.semantic_state.revision import revise
from memory.core.types import Role, Utterance

# So many utterances before a turn are read with it.
BEFORE = 6


@dataclass(frozen=True)
class StateUpdate:
    """A state once a message was read, what that message changed, and what was refused of it."""

    state: SemanticState
    changes: tuple[StatusChange, ...] = ()
    refused: tuple[Refusal, ...] = ()


def goes_without_saying(*, answers: str | None, confidence: float) -> bool:
    """Return whether an assumption is only that some fact answers a question, and surely enough: the fact tells it."""
    return bool(answers) and confidence >= TAU


class StateKeeper(Protocol):
    """Keeps the states of sessions."""

    def update(self, said: Sequence[Utterance], *, round_id: int | None, extractor: EvidenceExtractor) -> StateUpdate:
        """Read what was not read yet of a dialogue that ends with a user's turn, that of a round where it is stored."""


def state_of(said: Sequence[Utterance], *, extractor: EvidenceExtractor) -> StateUpdate:
    """Return the state of a dialogue that is stored nowhere, read from its first turn on."""
    update = StateUpdate(EMPTY_STATE)
    for place, turn in enumerate(said):
        if turn.role is Role.USER:
            before = update.state
            read = StateTurn(before, turn, tuple(said[max(0, place - BEFORE) : place]))
            update = difference(
                before, revise(before, extractor.extract(read), turn=before.turn + 1, said_on=turn.said_at.date())
            )
    return update


def difference(before: SemanticState, after: SemanticState) -> StateUpdate:
    """Return a state with what its last revision added to its history and refused."""
    return StateUpdate(after, after.history[len(before.history) :], after.refused[len(before.refused) :])
