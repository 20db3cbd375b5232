"""Algorithm 1: breadth, depth, the stops, the bounds; every fault ends a branch with its reason."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core.backward_chaining.nl_logic import NotLogic, parsed_atom
from memory.core.backward_chaining.prover import Prover, ProverConfig, prove
from memory.core.backward_chaining.types import Decomposition, Ending, Fault, Proof, UnificationTask, Unifier
from memory.core.errors import UnparsableReply
from tests.unit.memory.core.backward_chaining.players import (
    QUESTION,
    Decomposing,
    Refining,
    Unifying,
    WordMemory,
    antecedent,
    last_of,
    rule,
    unifier,
)

MEMORY = ["matcha is what I like", "Momoco serves a Kyoto Latte with matcha", "I visited Momoco", "Strawberry is sweet"]
USUAL = ProverConfig()
GOAL = "recommend (x:drink) to (Alice)"
RULE = rule(GOAL, "(Alice) likes (y:flavor)", "(x:drink) served in (z:cafe visited last week)")


def proof_of(
    decompositions: Sequence[Decomposition | Exception | None],
    unify: Unifying,
    refine: Refining | None = None,
    config: ProverConfig = USUAL,
    memory: Sequence[str] = MEMORY,
) -> Proof:
    prover = Prover(
        memory=WordMemory(memory),
        decompose=Decomposing(decompositions),
        unify=unify,
        refine=refine or Refining(),
        config=config,
    )
    return last_of(prove(QUESTION, prover))


def by_words(**found: str) -> Unifying:
    """Return a player that grounds a subgoal as soon as the fact with the words given for its predicate is there."""

    def of(task: UnificationTask) -> list[Unifier]:
        texts = [fact.text for fact in task.facts]
        return [
            unifier(one.number, [texts.index(text) + 1], bindings)
            for one in task.subgoals
            for predicate, told in found.items()
            for text, _, bindings in [told.partition(" | ")]
            if predicate in one.atom.sentence and text in texts
        ]

    return Unifying(of)


def test_a_goal_is_proved_at_once_where_its_facts_are_there() -> None:
    proof = proof_of(
        [rule(GOAL, "(Alice) likes (x:drink)")],
        by_words(likes=f"{MEMORY[0]} | {{x/(matcha)}}"),
        memory=["Alice likes", *MEMORY],
    )
    assert proof.proved is None  # The fact was not retrieved: it shares no word with the subgoal.
    proof = proof_of([rule(GOAL, "I like (x:drink)")], by_words(like=f"{MEMORY[0]} | {{x/(matcha)}}"))
    assert proof.answer == ("matcha",)
    assert str(proof.goal) == "recommend (matcha) to (Alice)"
    assert [fact.text for fact in proof.facts] == [MEMORY[0]]
    assert (proof.statistics.breadth, proof.statistics.depth, proof.statistics.calls) == (1, 0, 2)


def test_an_unknown_description_is_refined_until_it_is_named() -> None:
    refine = Refining([[antecedent(2, "I visited (z:cafe)")]])
    unify = by_words(
        likes=f"{MEMORY[0]} | {{y/(matcha)}}",
        visited=f"{MEMORY[2]} | {{z/(Momoco)}}",
        served=f"{MEMORY[1]} | {{x/(Kyoto Latte)}}",
    )
    memory = ["Alice likes", *MEMORY]
    decomposition = rule(GOAL, "matcha is what (Alice) likes for (y:flavor)", "(x:drink) served in (z:cafe)")
    proof = proof_of([decomposition], unify, refine, memory=memory)
    assert proof.answer == ("Kyoto Latte",)
    assert proof.proved is not None
    assert [one.serves for one in proof.proved.subgoals] == [None, None, 2]
    assert proof.statistics.depth == 1  # One unification names the cafe and what is served there.


def test_no_new_memory_ends_an_attempt_and_the_next_one_may_succeed() -> None:
    refine = Refining([[antecedent(1, "nobody knows (q:thing)")]])
    second = rule(GOAL, "I like (x:drink)")
    proof = proof_of(
        [rule(GOAL, "nobody has (x:drink)"), second], by_words(like=f"{MEMORY[0]} | {{x/(matcha)}}"), refine
    )
    assert [one.ending for one in proof.attempts] == [Ending.NOTHING_NEW, Ending.PROVED]
    assert proof.answer == ("matcha",)


def test_what_stayed_unknown_is_told() -> None:
    proof = proof_of(
        [rule(GOAL, "I like (y:flavor)", "(x:drink) served in (z:cafe)")],
        by_words(like=f"{MEMORY[0]} | {{y/(matcha)}}"),
    )
    assert proof.proved is None and proof.answer == ()
    assert [str(one.atom) for one in proof.missing] == ["(x:drink) served in (z:cafe)"]


@pytest.mark.parametrize(
    ("given_rule", "ending"),
    [
        (Decomposition(parsed_atom(GOAL), ()), Ending.NOTHING_TO_PROVE),
        (UnparsableReply("no JSON", reply="…"), Ending.UNREADABLE),
        (NotLogic("(x"), Ending.NO_LOGIC),
        (rule(GOAL, "I visited (z:cafe)", "(z:sister) is here"), Ending.NO_LOGIC),
        (rule(GOAL, "I like (y:drink)", answer=["x"]), Ending.NO_LOGIC),
        (None, Ending.STOPPED_ASKING),
    ],
)
def test_a_faulty_decomposition_ends_its_attempt(given_rule: Decomposition | Exception | None, ending: Ending) -> None:
    proof = proof_of([given_rule], by_words(), config=ProverConfig(breadth=1))
    assert [one.ending for one in proof.attempts] == [ending]


def test_a_repeated_decomposition_is_not_tried_again() -> None:
    proof = proof_of([RULE, RULE], by_words())
    assert proof.attempts[1].ending is Ending.REPEATED


def test_a_refinement_that_goes_in_a_circle_ends_its_attempt() -> None:
    refine = Refining([[antecedent(1, "I like (x:drink)")]])
    proof = proof_of([rule(GOAL, "I like (x:drink)")], by_words(), refine, config=ProverConfig(breadth=1))
    assert proof.attempts[0].ending is Ending.CIRCULAR


def test_a_fact_that_does_not_exist_proves_nothing() -> None:
    unify = Unifying(lambda task: [unifier(1, [99], "{x/(matcha)}")])
    proof = proof_of([rule(GOAL, "I like (x:drink)")], unify)
    assert proof.proved is None
    assert proof.attempts[0].rejected[0].fault is Fault.NO_FACT


ATOMS = [
    "I like (x:drink)",
    "(x:drink) served in (z:cafe)",
    "I visited (z:cafe)",
    "(z:sister) sings",
    "matcha is sweet",
    "I like (x)",
]
WORDS = ["matcha", "Momoco", "Kyoto Latte", "Strawberry", "nothing"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_it_always_ends_within_its_bounds(data: st.DataObject) -> None:
    config = ProverConfig(
        breadth=data.draw(st.integers(1, 3)), depth=data.draw(st.integers(0, 5)), units=6, units_a_query=4
    )
    drawn = st.lists(st.sampled_from(ATOMS), max_size=3)
    rules = [
        data.draw(
            st.one_of(
                drawn.map(lambda atoms: rule("(x:drink) it is", *atoms)), st.just(UnparsableReply("no", reply=""))
            )
        )
        for _ in range(config.breadth)
    ]
    words = st.sampled_from(WORDS)
    proposed = st.builds(
        lambda subgoal, facts, name, word: unifier(subgoal, facts, f"{{{name}/({word})}}"),
        st.integers(0, 6), st.lists(st.integers(-1, 9), max_size=2), st.sampled_from("xyz"), words,
    )  # fmt: skip
    unify = Unifying(lambda task: data.draw(st.lists(proposed, max_size=4)))
    refine = Refining(
        [[antecedent(data.draw(st.integers(0, 5)), data.draw(st.sampled_from(ATOMS)))] for _ in range(20)]
    )
    proof = proof_of(rules, unify, refine, config)
    assert proof.statistics.calls + 1 <= config.most_calls
    assert proof.statistics.units <= config.units
    assert all(one.ending is not None for one in proof.attempts)
    assert (proof.proved is None) == (proof.attempts[-1].ending is not Ending.PROVED)
    for attempt in proof.attempts:
        assert all(one.atom.is_ground and one.facts for one in attempt.grounded)
