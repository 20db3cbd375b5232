"""The roles of backward chaining. Each bears on all active subgoals at once, so that a step of the search costs one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.core.backward_chaining.nl_logic import Substitution
from memory.core.backward_chaining.types import Attempt, Decomposition, ProofQuestion, Refinement, Subgoal, Unification
from memory.core.types import MemoryUnit


@dataclass(frozen=True)
class UnificationTask:
    """What is to be unified: the open subgoals of an attempt with its memory, under what holds already."""

    question: ProofQuestion
    attempt: Attempt

    @property
    def subgoals(self) -> tuple[Subgoal, ...]:
        return self.attempt.open

    @property
    def facts(self) -> tuple[MemoryUnit, ...]:
        return self.attempt.memory

    @property
    def substitution(self) -> Substitution:
        return self.attempt.substitution


@dataclass(frozen=True)
class RefinementTask:
    """What is to be refined: the open subgoals of a frontier, with why they are open, and all that an attempt holds."""

    question: ProofQuestion
    attempt: Attempt
    subgoals: tuple[Subgoal, ...]
    unresolved: Mapping[int, str]


class GoalDecomposer(Protocol):
    """Parses a question into a goal, and takes the goal apart (GOAL-MEM, Equation 2)."""

    def decompose(self, question: ProofQuestion, *, earlier: Sequence[Decomposition]) -> Decomposition | None:
        """Return a decomposition unlike the earlier ones; None where there is no other.

        Raises `LanguageModelError` for a reply that is of no use, and `NotLogic` for one that is no logic.
        """


class SubgoalUnifier(Protocol):
    """Grounds subgoals by facts (GOAL-MEM, Equation 4). Its proposals are verified by the prover, not believed."""

    def unify(self, task: UnificationTask) -> Unification:
        """Return unifiers for those of the open subgoals that the facts entail. Raises as `decompose`."""


class SubgoalRefiner(Protocol):
    """Finds what has to be known first (GOAL-MEM, Equation 6)."""

    def refine(self, task: RefinementTask) -> Refinement:
        """Return at most one antecedent a subgoal, none that was sought before. Raises as `decompose`."""
