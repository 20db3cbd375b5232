"""Unifiers are checked against the facts that they cite."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memory.core.backward_chaining.nl_logic import parsed_substitution
from memory.core.backward_chaining.types import (
    Attempt,
    Decomposition,
    Fault,
    Subgoal,
    Unification,
    UnificationTask,
    Unifier,
)
from memory.core.backward_chaining.verification import Verified, verified
from memory.core.types import EntailmentVerdict, MemoryUnit
from tests.unit.memory.core.backward_chaining.players import QUESTION, rule, unifier

FACTS = (
    MemoryUnit("1", "I adopted the pup from a shelter in Stamford", datetime(2022, 3, 5, tzinfo=UTC), "James"),
    MemoryUnit("2", "last month I drove somewhere and went skiing", datetime(2023, 8, 7, tzinfo=UTC), "Evan"),
    MemoryUnit("3", "the Kyoto Latte has Matcha Powder", datetime(2024, 4, 30, tzinfo=UTC), "Alice"),
    MemoryUnit("4", "I have three sisters", datetime(2024, 4, 30, tzinfo=UTC), "Alice"),
)
RULE = rule(
    "it is (x:thing)", "(James) adopted a pup in (x:state)", "(Evan) did it in (d:month)", "it contains (y:flavor)"
)


def checked(*unifiers: Unifier, held: str = "{}", entailment: object = None, goal: Decomposition = RULE) -> Verified:
    attempt = Attempt(
        1,
        goal,
        subgoals=tuple(Subgoal(number, atom) for number, atom in enumerate(goal.subgoals, start=1)),
        memory=FACTS,
        substitution=parsed_substitution(held),
    )
    return verified(UnificationTask(QUESTION, attempt), Unification(tuple(unifiers)), entailment=entailment)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("proposed", "fault"),
    [
        (unifier(9, [1], "{x/(Stamford)}"), Fault.NO_SUBGOAL),
        (unifier(1, [7], "{x/(Stamford)}"), Fault.NO_FACT),
        (unifier(1, [0], "{x/(Stamford)}"), Fault.NO_FACT),
        (unifier(1, [], "{x/(Stamford)}"), Fault.NO_FACT),
        (unifier(1, [1], "{w/(Stamford)}"), Fault.NO_VARIABLE),
        (unifier(1, [1]), Fault.UNBOUND),
        (unifier(1, [1], "{x/(y)}"), Fault.UNBOUND),
        (unifier(1, [1], "{x/(Connecticut)}"), Fault.NOT_SAID),
        (unifier(1, [1], "{x/(probably Stamford)}"), Fault.NOT_SAID),
        (unifier(1, [3], "{x/(Stamford)}"), Fault.NOT_SAID),
        (unifier(1, [3], "{x/(Ohio)}", "Cleveland is in Ohio"), Fault.NOT_SAID),
        (unifier(2, [2], "{d/(May 2023)}"), Fault.NOT_SAID),
        (unifier(3, [4], "{y/(two)}"), Fault.NOT_SAID),
    ],
)
def test_what_the_facts_do_not_hold_is_rejected(proposed: Unifier, fault: Fault) -> None:
    found = checked(proposed)
    assert not found.grounded and found.substitution == parsed_substitution("{}")
    assert [one.fault for one in found.rejected] == [fault]
    assert found.rejected[0].detail.endswith(".")


@pytest.mark.parametrize(
    ("proposed", "grounded"),
    [
        (unifier(1, [1], "{x/(Stamford)}"), "James adopted a pup in Stamford"),
        (unifier(1, [1], "{x/(Connecticut)}", "Stamford is in Connecticut"), "James adopted a pup in Connecticut"),
        (unifier(2, [2], "{d/(July 2023)}"), "Evan did it in July 2023"),
        (unifier(3, [4], "{y/(3)}"), "it contains 3"),
    ],
)
def test_what_they_hold_is_grounded(proposed: Unifier, grounded: str) -> None:
    assert [one.atom.sentence for one in checked(proposed).grounded] == [grounded]


@pytest.mark.parametrize("order", [1, -1])
def test_a_value_that_is_left_out_is_taken_from_a_unifier_that_holds(order: int) -> None:
    goal = rule("it is (x:state)", "(James) adopted a pup from (s:shelter)", "(s:shelter) is in (x:state)")
    named = unifier(1, [1], "{s/(shelter in Stamford)}")
    placed = unifier(2, [1], "{x/(Connecticut)}", "Stamford is in Connecticut")
    found = checked(*[named, placed][::order], goal=goal)
    assert [one.atom.sentence for one in found.grounded][1] == "shelter in Stamford is in Connecticut"
    assert str(found.substitution) == "{s/(shelter in Stamford), x/(Connecticut)}"
    assert not found.rejected
    unsaid = checked(*[unifier(1, [2], "{s/(shelter in Stamford)}"), placed][::order], goal=goal)
    assert not unsaid.grounded
    assert {one.fault for one in unsaid.rejected} == {Fault.NOT_SAID, Fault.UNBOUND}


def test_a_value_that_holds_already_stays() -> None:
    assert checked(unifier(3, [3], "{y/(Matcha Powder)}"), held="{y/(Matcha)}").grounded
    [rejected] = checked(unifier(3, [3], "{y/(Latte)}"), held="{y/(Strawberry)}").rejected
    assert rejected.fault is Fault.OTHER_VALUE
    assert "Strawberry" in rejected.detail


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_values_at_once_none_is_taken(order: Sequence[int]) -> None:
    both = (unifier(3, [3], "{y/(Kyoto)}"), unifier(3, [3], "{y/(Matcha)}"))
    found = checked(*(both[number] for number in order))
    assert not found.grounded
    assert {one.fault for one in found.rejected} == {Fault.CONTRADICTORY}


def test_facts_that_agree_support_together() -> None:
    [one] = checked(unifier(3, [3], "{y/(Matcha)}"), unifier(3, [3, 4], "{y/(Matcha Powder)}")).grounded
    assert [fact.id for fact in one.facts] == ["3", "4"]


class Contradicting:
    name = "contradicting"

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        return [EntailmentVerdict(0.0, 0.05, 0.95) for _ in pairs]


def test_what_an_entailment_model_finds_contradicted_is_rejected() -> None:
    found = checked(unifier(3, [3], "{y/(Matcha)}"), entailment=Contradicting())
    assert [one.fault for one in found.rejected] == [Fault.CONTRADICTED]
    assert found.substitution == parsed_substitution("{}")
