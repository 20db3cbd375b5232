"""Good replies with parts dropped, swapped, doubled and cut off: always a value or a named failure, of a role and a proof."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.backward_chaining.nl_logic import NotLogic
from memory.core.backward_chaining.prompted import (
    PromptedGoalDecomposer,
    PromptedSubgoalRefiner,
    PromptedSubgoalUnifier,
)
from memory.core.backward_chaining.prover import Prover, prove
from memory.core.backward_chaining.types import Ending
from memory.core.errors import LanguageModelError
from memory.core.plain_text import is_plain
from memory.core.types import Completion, MemoryUnit, Prompt, RetrievalQuery, SamplingConfig
from tests.hypothesis_profiles import examples
from tests.unit.memory.core.backward_chaining.players import last_of
from tests.unit.memory.core.backward_chaining.test_prompted import (
    FACTS,
    QUESTION,
    decompose,
    example_in,
    refine,
    unify,
)

ODD: list[Any] = [
    None, "", " ", 0, -1, 99, "99", "fact 2", 1e308, 10**12, True, [], {}, [[]], "x", "?x", "(x:drink)", "none", "(",
    "(x:bulb) ∧ (y:pot)", "(Tom) saw (Tom)", "nul \x00 and half \ud800", "very " * 400, {"a": {"b": []}},
]  # fmt: skip
NAMES = ("decompose_goal", "unify_subgoals", "refine_subgoals")
ROLES: dict[str, Callable[[str], object]] = dict(zip(NAMES, (decompose, unify, refine), strict=True))


def mutants(name: str) -> list[str]:
    """Return the example reply of a prompt with every part dropped, doubled and swapped, and cut off all along."""
    text = example_in(name)
    good = json.loads(text)
    changed = [json.dumps(changed) for path in paths(good) for changed in variants(good, path)]
    return [*changed, *(text[:end] for end in range(0, len(text), 7))]


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path to every part of a JSON value."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths(part, (*path, key))


def variants(good: Any, path: tuple[Any, ...]) -> Iterator[Any]:
    *way, last = path
    for put in (*ODD, ...):
        changed = deepcopy(good)
        parent = changed
        for key in way:
            parent = parent[key]
        if put is ... and isinstance(parent, list):
            parent.append(deepcopy(parent[last]))
        elif put is ...:
            del parent[last]
        else:
            parent[last] = put
        yield changed


MUTANTS = {name: mutants(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_mutated_reply_is_a_value_that_can_be_stored_or_a_named_failure(name: str) -> None:
    outcomes: Counter[str] = Counter()
    for reply in MUTANTS[name]:
        try:
            found: Any = ROLES[name](reply)
        except (LanguageModelError, NotLogic) as error:
            outcomes[type(error).__name__] += 1
        else:
            outcomes["read"] += 1
            assert found is not None and is_plain(asdict(found))
    assert sum(outcomes.values()) == len(MUTANTS[name]) > 150
    assert outcomes["read"] > 50
    assert outcomes["UnparsableReply"] > 10


class Chance:
    """A `LanguageModel` that replies with mutants of one prompt's example, drawn by chance."""

    name = "chance"

    def __init__(self, name: str, chance: random.Random) -> None:
        self._replies = [*MUTANTS[name], *[example_in(name)] * (len(MUTANTS[name]) // 3)]
        self._chance = chance

    def complete_many(self, prompts: list[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        return [Completion(self._chance.choice(self._replies)) for _ in prompts]


class MoreAndMore:
    """A `Recall` that has something new for every query."""

    name = "more and more"
    size = 1_000

    def __init__(self) -> None:
        self._count = 0

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self._count += 1
        return [*FACTS, replace(FACTS[0], id=f"new {self._count}")]


def proof_by_chance(seed: int) -> Any:
    chance = random.Random(seed)
    decomposer, unifier, refiner = (Chance(name, chance) for name in NAMES)
    prover = Prover(
        memory=MoreAndMore(),
        decompose=PromptedGoalDecomposer(decomposer),  # type: ignore[arg-type]
        unify=PromptedSubgoalUnifier(unifier),  # type: ignore[arg-type]
        refine=PromptedSubgoalRefiner(refiner),  # type: ignore[arg-type]
    )
    return prover, last_of(prove(QUESTION, prover))


@settings(max_examples=examples(400))
@given(st.integers(0, 2**32))
def test_a_proof_by_mutated_replies_ends_within_its_bounds_for_a_reason(seed: int) -> None:
    prover, proof = proof_by_chance(seed)
    assert 1 <= proof.statistics.calls < prover.config.most_calls
    assert proof.statistics.units <= prover.config.units
    assert all(attempt.ending is not None for attempt in proof.attempts)
    assert (proof.proved is None) == (proof.attempts[-1].ending is not Ending.PROVED)
    assert is_plain([(one.detail, dict(one.unresolved), str(one.substitution)) for one in proof.attempts])
    if proof.proved is not None:
        assert proof.facts and proof.proved.decomposition.subgoals
        assert len(proof.answer) == len(proof.proved.answer)


def test_chance_leads_to_many_endings() -> None:
    endings = {attempt.ending for seed in range(30) for attempt in proof_by_chance(seed)[1].attempts}
    assert endings >= {Ending.PROVED, Ending.UNREADABLE, Ending.NO_LOGIC, Ending.CIRCULAR, Ending.STOPPED}, endings
