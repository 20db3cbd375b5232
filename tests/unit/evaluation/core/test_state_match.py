"""How a semantic state is held against what people say that it should be."""

from __future__ import annotations

import pytest

from evaluation.core.message_match import Match
from evaluation.core.state_match import StateCheck, WantedElement, failings, has_word, state_match
from memory.core.semantic_state.elements import (
    Constraint,
    ElementKind,
    Fact,
    Plan,
    PlanMode,
    SemanticState,
    Status,
)


def wanted(kind: str, *words: str) -> WantedElement:
    return WantedElement(ElementKind(kind), tuple(tuple(word.split("|")) for word in words))


STATE = SemanticState(
    elements={
        "f1": Fact(id="f1", description="We'll be six, on Saturday", turn=1),
        "f2": Fact(id="f2", description="with Inés", turn=1, status=Status.CLOSED),
        "c3": Constraint(id="c3", description="at most 14,000 cedis", turn=1),
    },
    plans=(Plan("p1", PlanMode.PROCEED, ""),),
)


@pytest.mark.parametrize(
    ("text", "word", "has"),
    [
        ("We'll be six", "SIX", True),
        ("no noisy boiler", "nois", True),
        ("coconut", "nut", False),
        ("14,000 cedis", "14", True),
        ("14,000 cedis", "14,000", True),
        ("600 max", "60", False),
        ("Café Ines", "cafe inés", True),
        ("i´m", "x", False),
        ("don’t", "don't", True),
    ],
)
def test_words_begin_as_wanted_and_numbers_are_whole(text: str, word: str, has: bool) -> None:
    assert has_word(text, word) is has


def test_check_names_all_that_fails() -> None:
    check = StateCheck(
        after=0,
        holds=(wanted("fact", "6|six", "saturday"), wanted("constraint", "six"), wanted("fact", "ines")),
        absent=(wanted("fact", "ines"), wanted("constraint", "14", "000|14000")),
        plan=PlanMode.VERIFY,
    )
    assert failings(check, STATE) == (
        "lacks constraint six",
        "lacks fact ines",
        "has constraint 14 + 000|14000",
        "plans to proceed",
    )


def test_plan_verifies_where_any_does() -> None:
    check = StateCheck(after=0, holds=(), plan=PlanMode.PROCEED)
    plans = (Plan("p1", PlanMode.PROCEED, ""), Plan("p2", PlanMode.VERIFY, "f1"))
    assert failings(check, STATE) == ()
    assert failings(check, SemanticState(plans=plans)) == ("plans to verify",)


def test_state_is_met_from_both_sides() -> None:
    current = [one for one in STATE.elements.values() if one.is_current]
    both = [wanted("fact", "six"), wanted("fact", "saturday"), wanted("fact", "ines")]
    # One element meets two of three entries; the other is meant by none.
    assert state_match(both, current) == Match(3, 2, 1)
