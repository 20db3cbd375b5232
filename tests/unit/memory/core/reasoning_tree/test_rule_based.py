"""The rules of the reasoning tree: plans over subgraphs, what is done next, what a state is worth."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.core.reasoning_tree.rule_based import Outlook, RuleBasedPolicy, RuleBasedValue
from memory.core.reasoning_tree.rule_based_plan import End, Fit, Link, Plan, PlanMatch, Thing, solve
from memory.core.reasoning_tree.types import State
from memory.core.types import Triple
from tests.unit.memory.core.reasoning_tree.trees import LittleGraph, answer, look, path, query_of

GRAPH = LittleGraph(
    [
        ("Ana", "sister", "Maya"),
        ("Maya", "worksFor", "Airbus"),
        ("Airbus", "office", "Toulouse"),
        ("Toulouse", "partOf", "France"),
        ("Tom", "worksFor", "Airbus"),
        ("Rosa", "owns", "Airbus"),
    ]
)


class Words:
    """A `Vocabulary` that takes predicates by their names; "owner" is said by "owns", from the other side."""

    def fit(self, link: Link, triple: Triple) -> Sequence[Fit]:
        if link.words == "owner" and triple.predicate == "owns":
            return [Fit(1.0, is_turned=True)]
        return [Fit(1.0)] if triple.predicate == link.words else []

    def suits(self, thing: Thing, end: End, triples: Sequence[Triple]) -> bool:
        return thing.noun != "country" or end.label == "France"

    def leads_on(self, triple: Triple) -> bool:
        return triple.predicate == "partOf"

    def similarity(self, text: str, triples: Sequence[Triple]) -> list[float]:
        return [0.0 for _ in triples]


def known(name: str) -> Thing:
    return Thing(name, known=(GRAPH.entities[name],))


def stand(plan: Plan, *triples: int) -> PlanMatch:
    return solve(plan, GRAPH.triples_of(*triples), Words())


CHAIN = Plan(
    (known("Ana"), Thing("sister"), Thing("employer"), Thing("where")),
    (Link(0, 1, "sister", True), Link(1, 2, "worksFor"), Link(2, 3, "office")),
)


def test_a_chain_is_solved_with_the_triples_that_say_it() -> None:
    found = stand(CHAIN, 3, 1, 2, 6)
    assert [one.fillers[3].label for one in found.solutions] == ["Toulouse"]
    assert [triple.id for triple in found.solutions[0].triples] == [1, 2, 3]
    assert found.coverage(CHAIN) == 1.0


@pytest.mark.parametrize(
    ("triples", "missing", "frontier", "coverage"),
    [((), 0, ["Ana"], 0.0), ((1,), 1, ["Maya"], 1 / 3), ((1, 2), 2, ["Airbus"], 2 / 3), ((2, 3), 0, ["Ana"], 0.0)],
)
def test_what_a_subgraph_lacks_is_the_first_link_it_does_not_say(
    triples: tuple[int, ...], missing: int, frontier: list[str], coverage: float
) -> None:
    found = stand(CHAIN, *triples)
    assert not found.is_solved
    assert found.missing == CHAIN.links[missing]
    assert [end.label for end in found.frontier] == frontier
    assert found.coverage(CHAIN) == pytest.approx(coverage)


def test_a_role_is_said_by_what_its_bearer_does() -> None:
    plan = Plan((known("Airbus"), Thing("owner")), (Link(0, 1, "owner", True),))
    assert stand(plan, 2, 6).solutions[0].fillers[1].label == "Rosa"


def test_a_place_is_a_part_of_what_is_asked_for() -> None:
    plan = Plan((known("Airbus"), Thing("country", noun="country")), (Link(0, 1, "office"),))
    assert not stand(plan, 3).is_solved
    [solution] = stand(plan, 3, 4).solutions
    assert solution.fillers[1].label == "France"
    assert [triple.id for triple in solution.triples] == [3, 4]


def test_two_things_that_are_apart_are_not_the_same() -> None:
    plan = Plan(
        (known("Maya"), Thing("firm"), Thing("who")), (Link(0, 1, "worksFor"), Link(2, 1, "worksFor")), apart=((0, 2),)
    )
    assert [one.fillers[2].label for one in stand(plan, 2, 5).solutions] == ["Tom"]
    assert not stand(plan, 2).is_solved


def test_a_value_in_words_is_compared_and_no_place_to_begin() -> None:
    plan = Plan(
        (known("Ana"), Thing("sister"), Thing("", value="airbus")), (Link(0, 1, "sister"), Link(1, 2, "worksFor"))
    )
    assert stand(plan, 1, 2).is_solved
    assert not stand(plan, 1, 5).is_solved


class Fixed:
    """A question whose outlook is told by the number of triples in the subgraph."""

    def __init__(self, *outlooks: Outlook) -> None:
        self._outlooks = outlooks

    def outlook(self, triples: Sequence[Triple]) -> Outlook:
        return self._outlooks[min(len(triples), len(self._outlooks) - 1)]

    def nearness(self, triples: Sequence[Triple]) -> float:
        return 0.5 if any(triple.id == 2 for triple in triples) else 0.1


OPEN = Outlook(0.3, "Not known.", pairs=(("Ana", "Toulouse"), ("Ana", "France")), names=("Ana",))
DONE = Outlook(1.0, "Toulouse.", is_answered=True)


def proposed(reading: Fixed, state: State, samples: int = 3) -> list[object]:
    [some] = RuleBasedPolicy(reading).propose_many(query_of(), [state], samples=samples)
    return [one.action for one in some]


def test_ends_are_connected_and_looked_around_in_turn() -> None:
    assert proposed(Fixed(OPEN), State()) == [path("Ana", "Toulouse"), look("Ana"), path("Ana", "France")]


def test_no_step_is_taken_twice_and_the_last_one_says_what_is_not_known() -> None:
    taken = State((), (path("Toulouse", "Ana"), look("Ana")), 0.5, 2)
    assert proposed(Fixed(OPEN), taken) == [path("Ana", "France")]
    all_taken = State((), (*taken.trajectory, path("Ana", "France")), 0.5, 3)
    assert proposed(Fixed(OPEN), all_taken) == [answer("Not known.")]


def test_an_answer_at_hand_is_given() -> None:
    assert proposed(Fixed(DONE), State()) == [answer("Toulouse.")]


def values(reading: Fixed, *states: State) -> list[float]:
    scores = RuleBasedValue(reading).score_many(query_of(), states)
    return [score.value for score in scores if isinstance(score.value, float)]


def test_states_are_worth_answers_then_coverage_then_refusals() -> None:
    reading = Fixed(Outlook(0.0, "No."), Outlook(0.4, "No."), DONE)
    answered = State(GRAPH.triples_of(1, 2), (answer("Toulouse."),), 1.0, 2)
    refused = State(GRAPH.triples_of(1), (answer("No."),), 1.0, 2)
    ready, half, nothing = State(GRAPH.triples_of(1, 2)), State(GRAPH.triples_of(1)), State()
    found = values(reading, answered, ready, half, nothing, refused)
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 5
    assert all(0.0 <= value <= 1.0 for value in found)


def test_meaning_decides_between_states_that_cover_the_same() -> None:
    reading = Fixed(Outlook(0.0), Outlook(0.5))
    near, far = values(reading, State(GRAPH.triples_of(2)), State(GRAPH.triples_of(1)))
    [alone] = values(reading, State(GRAPH.triples_of(1)))
    assert near > far > alone
