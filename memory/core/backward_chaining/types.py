"""The words of backward chaining (GOAL-MEM, section 4): goals, subgoals, unifiers, attempts, proofs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from memory.core.backward_chaining.nl_logic import NO_BINDINGS, Atom, Constant, Rule, Substitution
from memory.core.types import MemoryUnit, Utterance


@dataclass(frozen=True)
class ProofQuestion:
    """The utterance u_t, who says it and when (aware datetime), and the dialogue before it, oldest first."""

    text: str
    asker: str
    asked_at: datetime
    history: tuple[Utterance, ...] = ()


@dataclass(frozen=True)
class Decomposition:
    """A rule ψ_1 ∧ ... ∧ ψ_k ⇒ φ that a goal was taken apart by.

    `answer` names the variables of the goal that answer the question; none where it is asked whether the goal holds.
    `queries` are, for each subgoal, the words to look for it with; its own sentence where they are empty.
    """

    goal: Atom
    subgoals: tuple[Atom, ...]
    answer: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        return Rule(self.subgoals, self.goal)


class Relation(StrEnum):
    """How an antecedent bears on the subgoal that it is looked for by."""

    TEMPORAL = "temporal"
    CAUSAL = "causal"
    SEMANTIC = "semantic"
    SPATIAL = "spatial"


@dataclass(frozen=True)
class Subgoal:
    """A subgoal ψ_i: `number` counts from 1 within an attempt; one found by refinement `serves` an earlier one."""

    number: int
    atom: Atom
    query: str = ""
    serves: int | None = None
    relation: Relation | None = None
    depth: int = 0

    @property
    def sought(self) -> str:
        """The words to retrieve with."""
        return self.query or self.atom.sentence


@dataclass(frozen=True)
class Unifier:
    """A substitution δ_i by which facts entail a subgoal, as a player proposes it.

    `facts` are numbers of the facts shown, from 1. `bridge` names common knowledge that leads from the words of a fact to a
    value in it ("Stamford is in Connecticut"); empty where the facts hold the value themselves.
    """

    subgoal: int
    facts: tuple[int, ...]
    bindings: Substitution = NO_BINDINGS
    bridge: str = ""


@dataclass(frozen=True)
class Unification:
    """What a player made of all active subgoals and facts at once. `unresolved` tells by subgoal why it is not grounded."""

    unifiers: tuple[Unifier, ...] = ()
    unresolved: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Refinement:
    """Antecedents whose grounding would help to ground unresolved subgoals; none where nothing useful is left to seek."""

    antecedents: tuple[Antecedent, ...] = ()
    why_stopped: str = ""


@dataclass(frozen=True)
class Antecedent:
    """What has to be known before a subgoal can be: an atom, how it bears on it, and the words to look with."""

    serves: int
    atom: Atom
    relation: Relation
    query: str = ""


class Fault(StrEnum):
    """Why a proposed unifier was rejected."""

    NO_SUBGOAL = "no such subgoal"
    NO_FACT = "no such fact"
    NO_VARIABLE = "no such variable in the subgoal"
    UNBOUND = "a variable of the subgoal stays unknown"
    NOT_SAID = "the value is in no cited fact"
    WRONG_TYPE = "the value is of another kind"
    OTHER_VALUE = "another value holds already"
    CONTRADICTORY = "two values were proposed at once"
    CONTRADICTED = "the fact says otherwise"


@dataclass(frozen=True)
class RejectedUnifier:
    """A unifier that did not hold, and why: `detail` is a sentence for a person."""

    unifier: Unifier
    fault: Fault
    detail: str


@dataclass(frozen=True)
class Grounded:
    """A subgoal that holds: its atom without variables, by what, and the facts that entail it (F)."""

    subgoal: Subgoal
    atom: Atom
    bindings: Substitution
    facts: tuple[MemoryUnit, ...]
    bridge: str = ""


class Ending(StrEnum):
    """How an attempt by one decomposition ended."""

    PROVED = "proved"
    NOTHING_NEW = "no new memory"
    DEPTH = "as deep as a search may go"
    STOPPED = "nothing more to look for"
    STOPPED_ASKING = "there is no other way to take it apart"
    CIRCULAR = "it went in a circle"
    REPEATED = "it was tried before"
    NOTHING_TO_PROVE = "it has no subgoal"
    NO_LOGIC = "it cannot be read as logic"
    UNREADABLE = "the model's reply could not be used"


@dataclass(frozen=True)
class Attempt:
    """One pass of the breadth loop: a decomposition, what was found for it, and how it ended. `breadth` counts from 1."""

    breadth: int
    decomposition: Decomposition | None
    ending: Ending | None = None
    detail: str = ""
    subgoals: tuple[Subgoal, ...] = ()
    grounded: tuple[Grounded, ...] = ()
    rejected: tuple[RejectedUnifier, ...] = ()
    unresolved: Mapping[int, str] = field(default_factory=dict)
    substitution: Substitution = NO_BINDINGS
    memory: tuple[MemoryUnit, ...] = ()
    depth: int = 0

    @property
    def answer(self) -> tuple[str, ...]:
        """The names of the variables that answer the question."""
        return self.decomposition.answer if self.decomposition is not None else ()

    @property
    def open(self) -> tuple[Subgoal, ...]:
        """The subgoals that are not grounded (U)."""
        held = {one.subgoal.number for one in self.grounded}
        return tuple(one for one in self.subgoals if one.number not in held)


@dataclass(frozen=True)
class SearchStatistics:
    """What a proof took: realised breadth and depth, subgoals, calls of roles, retrievals, units retrieved."""

    breadth: int = 0
    depth: int = 0
    subgoals: int = 0
    calls: int = 0
    retrievals: int = 0
    units: int = 0


@dataclass(frozen=True)
class Proof:
    """The end of a search: the attempt that proved the goal, or None, with all attempts and what they took."""

    question: ProofQuestion
    proved: Attempt | None
    attempts: tuple[Attempt, ...]
    statistics: SearchStatistics

    @property
    def answer(self) -> tuple[str, ...]:
        """The values of the goal's answer variables, in order; empty where it is not proved or asks whether it holds."""
        if self.proved is None:
            return ()
        values = (self.proved.substitution.get(name) for name in self.proved.answer)
        return tuple(value.text for value in values if isinstance(value, Constant))

    @property
    def goal(self) -> Atom | None:
        """The grounded goal φ^g of a proof."""
        if self.proved is None or self.proved.decomposition is None:
            return None
        return self.proved.substitution.apply(self.proved.decomposition.goal)

    @property
    def facts(self) -> tuple[MemoryUnit, ...]:
        """The supporting facts F of a proof, each once, in the order in which they grounded subgoals."""
        held = self.proved.grounded if self.proved is not None else ()
        return tuple({fact.id: fact for one in held for fact in one.facts}.values())

    @property
    def furthest(self) -> Attempt | None:
        """The attempt that proved the goal, else the first of those that grounded most; None where none has a subgoal."""
        tried = [one for one in self.attempts if one.subgoals]
        return self.proved or max(tried, key=lambda one: (len(one.grounded), -one.breadth), default=None)

    @property
    def missing(self) -> tuple[Subgoal, ...]:
        """What stayed unknown: the open subgoals of the attempt that came furthest; none of a proof."""
        return () if self.proved is not None or self.furthest is None else self.furthest.open


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
