"""The examples of GOAL-MEM over sentences of our own, and a language model whose replies were written by hand.

A reply cites facts by a few of their words; the model looks up under which numbers the prompt shows them. So a reply can only
cite what was retrieved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.benchmarks import dialogue_jsonl
from evaluation.benchmarks.reading import read_json_lines
from evaluation.core.types import Case
from memory.core.backward_chaining.prompted import (
    PromptedGoalDecomposer,
    PromptedSubgoalRefiner,
    PromptedSubgoalUnifier,
)
from memory.core.backward_chaining.prover import Prover, ProverConfig, proof_of
from memory.core.backward_chaining.types import ProofQuestion
from memory.core.bm25 import Bm25Index
from memory.core.types import Completion, MemoryUnit, Prompt, RetrievalQuery, SamplingConfig, TokenUsage

CASES: dict[str, Case] = {
    case.id: case for case in map(dialogue_jsonl.case, read_json_lines(Path(__file__).parents[1] / "data/table6.jsonl"))
}
Reply = Mapping[str, Any]


def taken_apart(goal: str, *subgoals: tuple[str, str], answer: Sequence[str] = ("x",)) -> Reply:
    """Return the reply to a goal's prompt: each subgoal with the words to look for it."""
    return {
        "goal": goal,
        "subgoals": [{"says": says, "query": query} for says, query in subgoals],
        "answer": list(answer),
    }


def holds(subgoal: int, *facts: str, bridge: str = "", **values: str) -> Reply:
    bindings = [{"variable": name, "value": value} for name, value in values.items()]
    return {"subgoal": subgoal, "facts": list(facts), "bridge": bridge, "bindings": bindings}


def unified(*grounded: Reply, **why: str) -> Reply:
    """Return the reply to a prompt of unification; `why` tells by subgoal ("_3") why it is open."""
    unresolved = [{"subgoal": int(number[1:]), "why": reason} for number, reason in why.items()]
    return {"grounded": list(grounded), "unresolved": unresolved}


def seek(subgoal: int, says: str, relation: str, query: str) -> Reply:
    return {"subgoal": subgoal, "says": says, "relation": relation, "query": query}


def refined(*antecedents: Reply, why: str = "") -> Reply:
    return {"antecedents": list(antecedents), "why_stopped": why}


class HandWritten:
    """A `LanguageModel` that gives its replies one after the other."""

    name = "hand-written"

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.left = list(replies)
        self.prompts: list[Prompt] = []

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        [prompt] = prompts
        self.prompts.append(prompt)
        return [Completion(json.dumps(_numbered(self.left.pop(0), shown=prompt.messages[-1].content)))]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        raise AssertionError("no role of backward chaining streams")


class TurnMemory:
    """A `Recall` by BM25 over the turns of a case; a turn is found by the words of the one before it too."""

    name = "turns"

    def __init__(self, case: Case) -> None:
        indexed: list[str] = []
        self.units: list[MemoryUnit] = []
        for session in case.sessions:
            before = ""
            for turn in session.turns:
                self.units.append(MemoryUnit(str(len(self.units)), turn.text, turn.said_at, turn.speaker))
                indexed.append(f"{before} {turn.speaker} {turn.text}")
                before = turn.text
        self._index = Bm25Index(dict(enumerate(indexed)))

    @property
    def size(self) -> int:
        return len(self.units)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        return [self.units[place] for place, _ in self._index.search(query.text, limit=limit)]


class Played:
    """The proof of a case's question by hand-written replies, with the models that gave them."""

    def __init__(
        self,
        name: str,
        *,
        decompose: Sequence[Reply],
        unify: Sequence[Reply],
        refine: Sequence[Reply] = (),
        units: int = 3,
    ) -> None:
        case = CASES[name]
        [asked] = case.questions
        self.decompose, self.unify, self.refine = map(HandWritten, (decompose, unify, refine))
        prover = Prover(
            memory=TurnMemory(case),
            decompose=PromptedGoalDecomposer(self.decompose),
            unify=PromptedSubgoalUnifier(self.unify),
            refine=PromptedSubgoalRefiner(self.refine),
            config=ProverConfig(units_a_query=units),
        )
        self.proof = proof_of(ProofQuestion(asked.question, asked.asked_by, asked.asked_at), prover)
        self.answers = asked.answers

    @property
    def unused(self) -> int:
        """How many of the replies nobody asked for."""
        return sum(len(model.left) for model in (self.decompose, self.unify, self.refine))

    def facts(self) -> list[str]:
        return [fact.text for fact in self.proof.facts]

    def rejected(self) -> list[tuple[str, str]]:
        """Return the faults of all rejected unifiers, each with the first value that it would have given."""
        return [
            (one.fault.name, next((str(value)[1:-1] for _, value in one.unifier.bindings.bindings), ""))
            for attempt in self.proof.attempts
            for one in attempt.rejected
        ]


def _numbered(reply: Any, *, shown: str) -> Any:
    """Return a reply in which facts are cited by their numbers."""
    if isinstance(reply, list):
        return [_numbered(one, shown=shown) for one in reply]
    if not isinstance(reply, Mapping):
        return reply
    return {
        name: [_number(words, shown) for words in value] if name == "facts" else _numbered(value, shown=shown)
        for name, value in reply.items()
    }


def _number(words: str, shown: str) -> int:
    found = re.findall(rf"^(\d+)\. \[.*{re.escape(words)}", shown, re.MULTILINE)
    assert len(found) == 1, f"{words!r} is in {len(found)} of the facts that are shown:\n{shown}"
    return int(found[0])
