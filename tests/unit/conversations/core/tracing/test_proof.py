"""The trace of a proof: its form, what comes back from the store, and what is left of it without its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conversations.core.responders.goal_mem.proving import proofs_of
from conversations.core.tracing.proof import (
    Outcome,
    ProofAttempt,
    ProofSearch,
    SubgoalShape,
    SubgoalWords,
    attempt_step,
)
from conversations.core.types import Query
from memory.core.backward_chaining.types import Attempt, SearchStatistics
from memory.core.errors import LanguageModelError
from memory.core.tracing import TraceStep, restored, stored_form
from memory.core.tracing.step import Numbering
from memory.core.types import MemoryUnit
from tests.fakes.proving import MONDAY, QUESTION, SAID, UNREADABLE, SaidUnits, prover_over

MEMORY = dict(enumerate(SAID, start=11))


def steps(**example: object) -> list[TraceStep]:
    asked = Query(QUESTION, "Ana", MONDAY)
    parts = proofs_of([QUESTION], asked, prover=prover_over(SaidUnits(MEMORY), **example))  # type: ignore[arg-type]
    return [part for part in parts if isinstance(part, ProofSearch | ProofAttempt)]


def test_a_proof_is_told_from_its_beginning_to_its_end() -> None:
    told = steps()
    assert told[0] == ProofSearch(0, question=QUESTION, asked=QUESTION.lower().rstrip("?"))
    assert [len(one.subgoals) for one in told[1:-1] if isinstance(one, ProofAttempt)] == [3, 3, 4, 4]
    assert told[-1] == ProofSearch(
        0,
        Outcome.PROVED,
        best=1,
        statistics=SearchStatistics(1, 1, 4, calls=4, retrievals=5, units=4),
        question=QUESTION,
        asked=QUESTION.lower().rstrip("?"),
        goal="recommend Kyoto Latte to Ana",
        answer=("Kyoto Latte",),
    )


def test_states_of_one_attempt_replace_each_other() -> None:
    numbering = Numbering()
    assert [numbering.number(one) for one in steps()] == [1, 2, 2, 2, 2, 1]


def test_an_attempt_has_its_tree_its_words_and_what_was_not_taken() -> None:
    *_, attempt, _ = steps()
    assert isinstance(attempt, ProofAttempt)
    assert attempt.subgoals == (
        SubgoalShape(1, grounds=(11,)),
        SubgoalShape(2, grounds=(13,)),
        SubgoalShape(3, grounds=(13,)),
        SubgoalShape(4, serves=3, relation="spatial", grounds=(12,)),
    )
    assert attempt.subgoal_words[2] == SubgoalWords(
        asked="Kyoto Latte is served in which cafe?",
        logic="(x:drink) is served in (z:cafe)",
        query="which drink is served in which cafe",
        found="Kyoto Latte is served in Momoco",
        grounded="(Kyoto Latte) is served in (Momoco)",
        bindings="{x/(Kyoto Latte), z/(Momoco)}",
        bridge="Momoco is a cafe.",
    )
    assert [(one.subgoal, one.fault, one.cited) for one in attempt.rejected] == [
        (3, "no such fact", ()),
        (2, "another value holds already", (14,)),
    ]
    assert attempt.rejected_words[1].proposed == "strawberry milk contains strawberry"
    assert attempt.rejected_words[1].detail == "y is “matcha” already, not “strawberry”."
    assert set(attempt.read) == {11, 12, 13, 14}


def test_what_stays_unknown_is_told_with_the_values_that_are_known() -> None:
    told = steps(finds_the_cafe=False)
    *_, attempt, _, ended = told
    assert isinstance(ended, ProofSearch) and isinstance(attempt, ProofAttempt)
    assert (ended.outcome, ended.best) == (Outcome.UNKNOWN, 1)
    assert ended.missing == (
        "which drink contains matcha?",
        "which drink is served in which cafe?",
        "Ana visited which cafe?",
    )
    assert [words.why_open != "" for _, words in attempt.worded_subgoals] == [False, True, True, True]


def test_an_attempt_comes_back_as_it_was_stored() -> None:
    for step in (*steps(), *steps(finds_the_cafe=False)):
        form = stored_form(step)
        assert restored(form.kind, form.figures, form.words) == step


def test_a_forgotten_attempt_keeps_its_shape_and_no_word() -> None:
    *_, attempt, ended = steps()
    form = stored_form(attempt)
    assert set(form.sentences) == {11, 12, 13, 14}
    for step in (attempt, ended):
        figures = str(stored_form(step).figures)
        assert not any(word in figures for word in ("Kyoto", "Momoco", "matcha", "strawberry", "drink", "Ana"))
    left = restored(form.kind, form.figures, {})
    assert isinstance(left, ProofAttempt)
    assert [shape for shape, _ in left.worded_subgoals] == list(attempt.subgoals)  # type: ignore[attr-defined]
    assert {words for _, words in left.worded_subgoals} == {SubgoalWords()}


def test_a_search_that_never_looked_for_anything_says_so() -> None:
    told: list[object] = []
    asked = Query(QUESTION, "Ana", MONDAY)
    prover = prover_over(SaidUnits(MEMORY), rules=[UNREADABLE] * 3)
    with pytest.raises(LanguageModelError, match=r"No way of proving .* has not the asked form\. Try again"):
        told.extend(proofs_of([QUESTION], asked, prover=prover))
    ended = told[-1]
    assert isinstance(ended, ProofSearch)
    assert (ended.outcome, ended.best) == (Outcome.UNREADABLE, None)


def test_the_triples_that_were_looked_at_are_what_its_words_rest_on_too() -> None:
    unit = MemoryUnit("triple:5", "Maya works for Airbus.", MONDAY, sentence_ids=(7,), triple_ids=(5,))
    form = stored_form(attempt_step(Attempt(1, None, memory=(unit, replace(unit, id="again"))), search=0))
    assert (form.triples, form.sentences) == ((5,), (7,))
