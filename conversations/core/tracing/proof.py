"""The trace steps of backward chaining (GOAL-MEM, Algorithm 1): the search for a proof, and each of its attempts."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from memory.core.backward_chaining.nl_logic import NO_BINDINGS, Substitution
from memory.core.backward_chaining.types import (
    Attempt,
    Grounded,
    Proof,
    ProofQuestion,
    RejectedUnifier,
    SearchStatistics,
    Subgoal,
)
from memory.core.naming import key_of
from memory.core.tracing import Lines, SentenceIds, TraceStep, TripleIds, Wordings, Words
from memory.core.types import MemoryUnit


class Outcome(StrEnum):
    """What a search for a proof came to; nothing was learnt by one whose replies could not be used."""

    PROVED = "proved"
    UNKNOWN = "unknown"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class ProofSearch(TraceStep):
    """The search for the answer to the `search`-th question of a reply.

    While it runs, or if it was cut short, there is no `outcome` and there are no statistics. `best` is the breadth of the
    attempt that proved the goal, else of the one that came furthest. `asked` is the key of the question, by which two are
    the same. `settled_in` is the round that told what was unknown, once one did.
    """

    kind: ClassVar[str] = "proof"

    search: int
    outcome: Outcome | None = None
    best: int | None = None
    statistics: SearchStatistics | None = None
    settled_in: int | None = None
    question: Words = ""
    asked: Words = ""
    goal: Words = ""
    answer: Lines = ()
    missing: Lines = ()

    @property
    def key(self) -> str:
        return str(self.search)


@dataclass(frozen=True)
class SubgoalShape:
    """A subgoal without its words: what it serves and how, the sentences that ground it, None while it is open."""

    number: int
    serves: int | None = None
    relation: str = ""
    grounds: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SubgoalWords:
    """A subgoal in words: as a question and as logic, what was looked for, what was found, or why it is open."""

    asked: str = ""
    logic: str = ""
    query: str = ""
    found: str = ""
    grounded: str = ""
    bindings: str = ""
    bridge: str = ""
    why_open: str = ""


@dataclass(frozen=True)
class RejectionShape:
    """A unifier that did not hold, without its words: for which subgoal, by which sentences, and its fault."""

    subgoal: int
    fault: str
    cited: tuple[int, ...] = ()


@dataclass(frozen=True)
class RejectionWords:
    proposed: str = ""
    bindings: str = ""
    bridge: str = ""
    detail: str = ""


@dataclass(frozen=True)
class ProofAttempt(TraceStep):
    """The `breadth`-th attempt of a search, as far as it came: a later state replaces an earlier one.

    `read` are the sentences, `looked_at` the triples, of all that was retrieved for it: its words may rest on any of them.
    The words of subgoals and of rejections are in the order of their shapes.
    """

    kind: ClassVar[str] = "proof_attempt"

    search: int
    breadth: int
    ending: str = ""
    depth: int = 0
    subgoals: tuple[SubgoalShape, ...] = ()
    rejected: tuple[RejectionShape, ...] = ()
    read: SentenceIds = ()
    looked_at: TripleIds = ()
    rule: Words = ""
    detail: Words = ""
    subgoal_words: Wordings[SubgoalWords] = ()
    rejected_words: Wordings[RejectionWords] = ()

    @property
    def key(self) -> str:
        return f"{self.search}.{self.breadth}"

    @property
    def worded_subgoals(self) -> list[tuple[SubgoalShape, SubgoalWords]]:
        """The subgoals with their words; with empty ones once they are forgotten."""
        return list(zip(self.subgoals, self.subgoal_words or [SubgoalWords()] * len(self.subgoals), strict=True))

    @property
    def worded_rejections(self) -> list[tuple[RejectionShape, RejectionWords]]:
        return list(zip(self.rejected, self.rejected_words or [RejectionWords()] * len(self.rejected), strict=True))


def search_step(question: ProofQuestion, *, search: int) -> ProofSearch:
    return ProofSearch(search, question=question.text, asked=key_of(question.text))


def ended_step(proof: Proof, outcome: Outcome, *, search: int) -> ProofSearch:
    return replace(
        search_step(proof.question, search=search),
        outcome=outcome,
        best=proof.furthest.breadth if proof.furthest is not None else None,
        statistics=proof.statistics,
        goal=proof.goal.sentence if proof.goal is not None else "",
        answer=proof.answer,
        missing=missing_in(proof),
    )


def missing_in(proof: Proof) -> tuple[str, ...]:
    """Return what stayed unknown as questions, with the values that are known: "Ana visited which cafe?"."""
    held = proof.furthest.substitution if proof.furthest is not None else NO_BINDINGS
    return tuple(dict.fromkeys(_asked(one, held) for one in proof.missing))


def attempt_step(attempt: Attempt, *, search: int) -> ProofAttempt:
    """Return an attempt as far as it came."""
    grounded = {one.subgoal.number: one for one in attempt.grounded}
    asked = _asked_in(attempt)
    return ProofAttempt(
        search,
        attempt.breadth,
        ending=attempt.ending or "",
        depth=attempt.depth,
        subgoals=tuple(_shape(one, grounded.get(one.number)) for one in attempt.subgoals),
        rejected=tuple(
            RejectionShape(one.unifier.subgoal, one.fault, _sentences(_cited(one, attempt))) for one in attempt.rejected
        ),
        read=_sentences(attempt.memory),
        looked_at=tuple(dict.fromkeys(triple for unit in attempt.memory for triple in unit.triple_ids)),
        rule=str(attempt.decomposition.rule) if attempt.decomposition is not None else "",
        detail=attempt.detail,
        subgoal_words=tuple(
            _words(one, grounded.get(one.number), asked[one.number], attempt) for one in attempt.subgoals
        ),
        rejected_words=tuple(
            RejectionWords(_proposed(one, attempt), str(one.unifier.bindings), one.unifier.bridge, one.detail)
            for one in attempt.rejected
        ),
    )


def _shape(subgoal: Subgoal, grounded: Grounded | None) -> SubgoalShape:
    held = _sentences(grounded.facts) if grounded is not None else None
    return SubgoalShape(subgoal.number, subgoal.serves, subgoal.relation or "", held)


def _words(subgoal: Subgoal, grounded: Grounded | None, asked: str, attempt: Attempt) -> SubgoalWords:
    words = SubgoalWords(asked, str(subgoal.atom), subgoal.sought)
    if grounded is None:
        return replace(words, why_open=attempt.unresolved.get(subgoal.number, ""))
    return replace(
        words,
        found=grounded.atom.sentence,
        grounded=str(grounded.atom),
        bindings=str(grounded.bindings),
        bridge=grounded.bridge,
    )


def _asked_in(attempt: Attempt) -> dict[int, str]:
    """Return each subgoal as a question, with the values that were known before it was grounded."""
    asked, known = {}, NO_BINDINGS
    for one in attempt.grounded:
        asked[one.subgoal.number] = _asked(one.subgoal, known)
        known = one.bindings.then(known)
    return {one.number: _asked(one, attempt.substitution) for one in attempt.subgoals} | asked


def _asked(subgoal: Subgoal, known: Substitution) -> str:
    """Return a subgoal as a question: the one that it was looked for with, else its own words."""
    return subgoal.query if subgoal.query.endswith("?") else f"{known.apply(subgoal.atom).sentence}?"


def _proposed(rejected: RejectedUnifier, attempt: Attempt) -> str:
    """Return a rejected unifier as the sentence that it would have made of its subgoal; "" where there is none such."""
    atom = next((one.atom for one in attempt.subgoals if one.number == rejected.unifier.subgoal), None)
    return attempt.substitution.apply(rejected.unifier.bindings.apply(atom)).sentence if atom is not None else ""


def _cited(rejected: RejectedUnifier, attempt: Attempt) -> list[MemoryUnit]:
    there = range(1, len(attempt.memory) + 1)
    return [attempt.memory[number - 1] for number in rejected.unifier.facts if number in there]


def _sentences(units: tuple[MemoryUnit, ...] | list[MemoryUnit]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(sentence for unit in units for sentence in unit.sentence_ids))
