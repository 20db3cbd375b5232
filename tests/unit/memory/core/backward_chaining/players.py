"""Players and a memory for tests of backward chaining: what they say is written in the test."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.core.backward_chaining.nl_logic import parsed_atom, parsed_substitution
from memory.core.backward_chaining.types import (
    Antecedent,
    Decomposition,
    Proof,
    ProofQuestion,
    Refinement,
    RefinementTask,
    Relation,
    Unification,
    UnificationTask,
    Unifier,
)
from memory.core.types import MemoryUnit, RetrievalQuery

SAID = datetime(2024, 5, 2, 9, tzinfo=UTC)
QUESTION = ProofQuestion("Which drink should I try at the cafe I went to last week?", "Alice", SAID)


def rule(goal: str, *subgoals: str, answer: Sequence[str] = ("x",)) -> Decomposition:
    return Decomposition(parsed_atom(goal), tuple(parsed_atom(one) for one in subgoals), tuple(answer))


def unifier(subgoal: int, facts: Sequence[int], bindings: str = "{}", bridge: str = "") -> Unifier:
    return Unifier(subgoal, tuple(facts), parsed_substitution(bindings), bridge)


def antecedent(serves: int, atom: str, relation: Relation = Relation.SPATIAL) -> Antecedent:
    return Antecedent(serves, parsed_atom(atom), relation)


@dataclass
class WordMemory:
    """Implements `Recall`: units that share a word with the query, in the order in which they were said."""

    texts: Sequence[str]
    name: str = "words"
    asked: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.texts)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self.asked.append(query.text)
        words = set(query.text.lower().split())
        found = [number for number, text in enumerate(self.texts) if words & set(text.lower().split())]
        return [MemoryUnit(str(number), self.texts[number], SAID, "Alice") for number in found[:limit]]


@dataclass
class Decomposing:
    """Implements `GoalDecomposer` by what is given for each time that it is asked; an exception is raised."""

    given: Sequence[Decomposition | Exception | None]
    asked: int = 0

    def decompose(self, question: ProofQuestion, *, earlier: Sequence[Decomposition]) -> Decomposition | None:
        self.asked += 1
        found = self.given[self.asked - 1] if self.asked <= len(self.given) else None
        if isinstance(found, Exception):
            raise found
        return found


@dataclass
class Unifying:
    """Implements `SubgoalUnifier` by a function of the task."""

    of: Callable[[UnificationTask], Sequence[Unifier]]
    asked: int = 0

    def unify(self, task: UnificationTask) -> Unification:
        self.asked += 1
        return Unification(tuple(self.of(task)))


@dataclass
class Refining:
    """Implements `SubgoalRefiner` by what is given for each time that it is asked."""

    given: Sequence[Sequence[Antecedent]] = ()
    asked: int = 0

    def refine(self, task: RefinementTask) -> Refinement:
        self.asked += 1
        return Refinement(tuple(self.given[self.asked - 1])) if self.asked <= len(self.given) else Refinement()


class _Ended:
    def __init__(self, steps: Generator[object, None, Proof]) -> None:
        self._steps = steps

    def __iter__(self) -> Iterator[object]:
        self.value = yield from self._steps


def last_of(steps: Generator[object, None, Proof]) -> Proof:
    """Return the proof at the end of a search."""
    ended = _Ended(steps)
    for _ in ended:
        pass
    return ended.value
