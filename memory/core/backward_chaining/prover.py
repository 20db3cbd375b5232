"""Backward chaining from a question to the facts that prove its answer (GOAL-MEM, section 4, Algorithm 1).

Departures from the paper, settled in ADR 30:

- The goal is parsed in the call that first takes it apart. The 1 of the bound 1 + B(2 + 2D) is then the call for the answer.
- A goal is proved where the subgoals of its rule are grounded; an antecedent serves one of them and is needed no longer.
- Where an antecedent gave an open subgoal a value, the subgoal is retrieved for again with it.
- Where no new memory is retrieved but a subgoal was grounded, the search goes on: its value is a new way to the others.
- Where a whole frontier is grounded and its subgoals are not, those are refined again.
- A cap of 60 retrieved units holds for a question, over all attempts (Appendix F).
- A call that fails ends its attempt, with the reason; the next one may succeed. It is not repeated, so that the bound holds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memory.core.backward_chaining.nl_logic import NotLogic, types_of
from memory.core.backward_chaining.types import (
    Antecedent,
    Attempt,
    Decomposition,
    Ending,
    GoalDecomposer,
    Proof,
    ProofQuestion,
    RefinementTask,
    SearchStatistics,
    Subgoal,
    SubgoalRefiner,
    SubgoalUnifier,
    UnificationTask,
)
from memory.core.backward_chaining.verification import open_reasons, verified
from memory.core.errors import LanguageModelError
from memory.core.naming import key_of
from memory.core.ports import EntailmentModel, Recall
from memory.core.types import MemoryUnit, RetrievalQuery


@dataclass(frozen=True)
class ProverConfig:
    """The budgets of a search: B_max, D_max (section 5), and the cap of retrieved units (Appendix F).

    `units_a_query` is how many units one retrieval gives: a first step of three subgoals leaves room for refinement.
    """

    breadth: int = 3
    depth: int = 5
    units: int = 60
    units_a_query: int = 10

    @property
    def most_calls(self) -> int:
        """The bound of calls: 1 + B(2 + 2D), with the one that writes the answer."""
        return 1 + self.breadth * (2 + 2 * self.depth)


@dataclass(frozen=True, kw_only=True)
class Prover:
    """The players of a search, the memory that it stands on, and its budgets."""

    memory: Recall
    decompose: GoalDecomposer
    unify: SubgoalUnifier
    refine: SubgoalRefiner
    entailment: EntailmentModel | None = None
    config: ProverConfig = ProverConfig()


def prove(question: ProofQuestion, prover: Prover) -> Generator[Attempt, None, Proof]:
    """Yield the attempt that is under way whenever it came further, and return the proof, found or not."""
    search = _Search(question, prover)
    attempts: list[Attempt] = []
    for breadth in range(1, prover.config.breadth + 1):
        attempt = yield from _attempted(search, breadth, earlier=[one.decomposition for one in attempts])
        attempts.append(attempt)
        if attempt.ending in (Ending.PROVED, Ending.STOPPED_ASKING):
            break
    proved = attempts[-1] if attempts and attempts[-1].ending is Ending.PROVED else None
    return Proof(question, proved, tuple(attempts), search.statistics(attempts))


class Proving:
    """The attempts of a search while it goes on, and its `proof` after the last of them."""

    proof: Proof

    def __init__(self, question: ProofQuestion, prover: Prover) -> None:
        self._attempts = prove(question, prover)

    def __iter__(self) -> Iterator[Attempt]:
        self.proof = yield from self._attempts


def proof_of(question: ProofQuestion, prover: Prover) -> Proof:
    """Return what a search comes to."""
    search = Proving(question, prover)
    deque(search, maxlen=0)
    return search.proof


def _attempted(
    search: _Search, breadth: int, *, earlier: Sequence[Decomposition | None]
) -> Generator[Attempt, None, Attempt]:
    """Yield the stages of one pass of the breadth loop (lines 5 to 36), and return its end."""
    attempt = Attempt(breadth, None)
    try:
        attempt = _decomposed(attempt, search, [one for one in earlier if one is not None])
        if attempt.ending is None:
            yield attempt
            attempt = search.recalled(attempt, attempt.subgoals)
            attempt = search.unified(attempt)
        frontier = attempt.open
        while attempt.ending is None and attempt.depth < search.prover.config.depth:
            yield attempt
            attempt, frontier = yield from _deepened(attempt, frontier, search)
        if attempt.ending is None:
            attempt = replace(attempt, ending=Ending.DEPTH)
    except LanguageModelError as error:
        attempt = replace(attempt, ending=Ending.UNREADABLE, detail=str(error))
    except NotLogic as error:
        attempt = replace(attempt, ending=Ending.NO_LOGIC, detail=str(error))
    yield attempt
    return attempt


def _decomposed(attempt: Attempt, search: _Search, earlier: Sequence[Decomposition]) -> Attempt:
    """Return the attempt with its decomposition, ended at once where that leads nowhere (Equation 2)."""
    search.calls += 1
    found = search.prover.decompose.decompose(search.question, earlier=earlier)
    if found is None:
        return replace(attempt, ending=Ending.STOPPED_ASKING)
    subgoals = tuple(
        Subgoal(number, atom, query)
        for number, (atom, query) in enumerate(
            zip(found.subgoals, (*found.queries, *[""] * len(found.subgoals)), strict=False), start=1
        )
    )
    attempt = replace(attempt, decomposition=found, subgoals=subgoals)
    if not subgoals:
        return replace(attempt, ending=Ending.NOTHING_TO_PROVE)
    if any(_is_same(found, one) for one in earlier):
        return replace(attempt, ending=Ending.REPEATED)
    types_of((found.goal, *found.subgoals))
    unknown = set(found.answer) - {variable.name for atom in found.subgoals for variable in atom.variables}
    if unknown:
        raise NotLogic(f"The answer is to be {min(unknown)}, and no subgoal has such a variable.")
    return attempt


def _deepened(
    attempt: Attempt, frontier: tuple[Subgoal, ...], search: _Search
) -> Generator[Attempt, None, tuple[Attempt, tuple[Subgoal, ...]]]:
    """Return the attempt after one step of the depth loop (lines 18 to 35), with its next frontier."""
    sought = tuple(one for one in frontier if one in attempt.open) or attempt.open
    search.calls += 1
    refinement = search.prover.refine.refine(RefinementTask(search.question, attempt, sought, attempt.unresolved))
    antecedents = _new_subgoals(attempt, refinement.antecedents, {one.number for one in sought})
    valued = tuple(one for one in attempt.open if search.is_new(attempt.substitution.apply(one.atom).sentence))
    if not antecedents and not valued:
        circular = bool(refinement.antecedents)
        ending = Ending.CIRCULAR if circular else Ending.STOPPED
        return replace(attempt, ending=ending, detail=refinement.why_stopped), ()
    attempt = replace(attempt, subgoals=(*attempt.subgoals, *antecedents), depth=attempt.depth + 1)
    if antecedents:
        yield attempt
    before = (attempt.memory, attempt.grounded)
    attempt = search.unified(search.recalled(attempt, (*antecedents, *valued)))
    if attempt.ending is None and (attempt.memory, attempt.grounded) == before:
        attempt = replace(attempt, ending=Ending.NOTHING_NEW)
    return attempt, antecedents or attempt.open


def _new_subgoals(attempt: Attempt, found: Sequence[Antecedent], sought: set[int]) -> tuple[Subgoal, ...]:
    """Return antecedents as subgoals: of those that serve a subgoal of the frontier, the ones not sought before."""
    known = {key_of(one.atom.sentence) for one in attempt.subgoals}
    new: list[Subgoal] = []
    for one in found:
        key = key_of(one.atom.sentence)
        if one.serves in sought and key not in known:
            known.add(key)
            number = len(attempt.subgoals) + len(new) + 1
            new.append(Subgoal(number, one.atom, one.query, one.serves, one.relation, attempt.depth + 1))
    return tuple(new)


def _is_same(one: Decomposition, other: Decomposition) -> bool:
    return {key_of(atom.sentence) for atom in one.subgoals} == {key_of(atom.sentence) for atom in other.subgoals}


@dataclass
class _Search:
    """The running search for one question: what was asked, called and retrieved so far."""

    question: ProofQuestion
    prover: Prover
    calls: int = 0
    retrievals: int = 0
    units: dict[str, MemoryUnit] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def is_new(self, text: str) -> bool:
        return key_of(text) not in self.asked

    def recalled(self, attempt: Attempt, subgoals: Sequence[Subgoal]) -> Attempt:
        """Return the attempt with what the memory has for each of the subgoals (Equation 3)."""
        memory = {unit.id: unit for unit in attempt.memory}
        for subgoal in subgoals:
            valued = attempt.substitution.apply(subgoal.atom)
            text = subgoal.sought if valued == subgoal.atom else valued.sentence
            self.asked |= {key_of(text), key_of(valued.sentence)}
            self.retrievals += 1
            query = RetrievalQuery(text, self.question.asked_at, self.question.asker)
            for unit in self.prover.memory.retrieve(query, limit=self.prover.config.units_a_query):
                if unit.id in self.units or len(self.units) < self.prover.config.units:
                    memory.setdefault(unit.id, self.units.setdefault(unit.id, unit))
        return replace(attempt, memory=tuple(memory.values()))

    def unified(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the open subgoals unified with its memory (Equation 4), proved where its goal now is."""
        task = UnificationTask(self.question, attempt)
        self.calls += 1
        unification = self.prover.unify.unify(task)
        found = verified(task, unification, entailment=self.prover.entailment)
        attempt = replace(
            attempt,
            grounded=(*attempt.grounded, *found.grounded),
            rejected=(*attempt.rejected, *(one for one in found.rejected if one not in attempt.rejected)),
            unresolved=open_reasons(task.subgoals, unification, found),
            substitution=found.substitution,
        )
        if any(one.serves is None for one in attempt.open):
            return attempt
        return replace(attempt, ending=Ending.PROVED)

    def statistics(self, attempts: Sequence[Attempt]) -> SearchStatistics:
        return SearchStatistics(
            breadth=len(attempts),
            depth=max((one.depth for one in attempts), default=0),
            subgoals=sum(len(one.subgoals) for one in attempts),
            calls=self.calls,
            retrievals=self.retrievals,
            units=len(self.units),
        )
