"""Each change of status that SLSM describes in section 3, by the evidence that brings it."""

from __future__ import annotations

from memory.core.semantic_state.admissibility import Condition, admissibility
from memory.core.semantic_state.elements import EMPTY_STATE, Plan, PlanMode, SemanticState, Source, Status
from memory.core.semantic_state.evidence import (
    Asserted,
    Assumed,
    Evaluated,
    Evidence,
    Irrelevant,
    Missed,
    Required,
    Resolved,
    Withdrawn,
)
from memory.core.semantic_state.revision import revise

GUESTS = Missed(description="number of guests", question="How many guests will there be?", ref="q")
BUDGET = Required(description="at most 600 euros", words="max 600", ref="c")
EVENING = Assumed(description="it is in the evening", confidence=0.7, ref="a")


def after(*turns: list[Evidence]) -> SemanticState:
    state = EMPTY_STATE
    for turn, evidence in enumerate(turns, start=1):
        state = revise(state, evidence, turn=turn)
    return state


def statuses(state: SemanticState) -> dict[str, Status]:
    return {key: one.status for key, one in state.elements.items()}


def conditions(state: SemanticState) -> list[Condition]:
    return [one.condition for one in admissibility(state)]


def test_a_fact_is_asserted_by_the_user_or_returned_by_a_tool_and_closed_by_their_words() -> None:
    state = after(
        [Asserted(description="rain on Sunday", source=Source.TOOL), Asserted(description="we are six", words="six")]
    )
    assert statuses(state) == {"f1": Status.OPEN, "f2": Status.OPEN}
    state = revise(state, [Withdrawn(element="f1"), Withdrawn(element="f2", words="no, scrap that")], turn=2)
    assert statuses(state) == {"f1": Status.OPEN, "f2": Status.CLOSED}
    assert [one.proposed for one in state.refused] == ["f1 no longer holds"]


def test_an_open_unknown_asks_and_closes_when_it_is_answered_by_an_assumption() -> None:
    state = after([GUESTS])
    assert state.plans == (Plan("p1-1", PlanMode.VERIFY, "u1"),)
    assert conditions(state) == [Condition.UNRESOLVED_UNKNOWN]
    state = revise(
        state,
        [
            Asserted(description="six come", words="we'll be six", ref="f"),
            Resolved(unknown="u1", by="f", confidence=0.9),
        ],
        turn=2,
    )
    assert statuses(state) == {"u1": Status.CLOSED, "f2": Status.OPEN, "a3": Status.VALID}
    answer = state.elements["a3"]
    assert (answer.basis, answer.description) == (("f2",), "number of guests: six come")
    assert state.plans == (Plan("p2-1", PlanMode.PROCEED, ""),)


def test_an_unknown_becomes_a_constraint_where_a_requirement_answers_it() -> None:
    state = after(
        [Missed(description="budget", question="What may it cost?")], [BUDGET, Resolved(unknown="u1", by="c")]
    )
    assert statuses(state) == {"u1": Status.CLOSED, "c2": Status.SATISFIED}


def test_the_answer_follows_the_new_value_and_opens_again_without_one() -> None:
    state = after(
        [GUESTS],
        [Asserted(description="six come", words="six", ref="f"), Resolved(unknown="u1", by="f")],
        [Asserted(description="eight come", words="eight", replaces=("f2",))],
    )
    assert [one.description for one in state.elements.values() if one.is_current] == [
        "eight come",
        "number of guests: eight come",
    ]
    state = revise(state, [Withdrawn(element="f4", words="no idea how many now")], turn=4)
    assert [one.id for one in state.elements.values() if one.is_current] == ["u1"]


def test_an_assumption_is_closed_without_being_wrong() -> None:
    state = after([EVENING], [Irrelevant(element="a1", words="let us plan a gift instead")])
    assert statuses(state) == {"a1": Status.CLOSED}
    assert admissibility(state) == ()


def test_a_default_closes_when_its_unknown_is_resolved() -> None:
    state = after(
        [GUESTS, Assumed(description="four come", confidence=0.5, basis=("q",))],
        [Asserted(description="six come", words="six", ref="f"), Resolved(unknown="u1", by="f")],
    )
    assert statuses(state) == {"u1": Status.CLOSED, "a2": Status.CLOSED, "f3": Status.OPEN, "a4": Status.VALID}


def test_a_fact_contradicts_an_assumption_and_what_rested_on_it_is_retracted() -> None:
    state = after(
        [
            EVENING,
            Assumed(description="candles are needed", confidence=0.6, basis=("a",), ref="b"),
            Required(description="matches", words="matches too", basis=("b",)),
            Asserted(description="it is outside", words="outside"),
        ],
        [Asserted(description="lunch at noon", words="at noon", against=("a1",))],
    )
    assert statuses(state) == {
        "a1": Status.CONTRADICTED,
        "a2": Status.CLOSED,
        "c3": Status.CLOSED,
        "f4": Status.OPEN,
        "f5": Status.OPEN,
    }
    assert [(one.element, one.cause) for one in state.history[4:]] == [
        ("f5", ""),
        ("a1", "f5"),
        ("a2", "a1"),
        ("c3", "a2"),
    ]


def test_a_contradicted_assumption_blocks_in_its_turn_until_something_takes_its_place() -> None:
    refused = after([EVENING], [Withdrawn(element="a1", words="not in the evening")])
    assert conditions(refused) == [Condition.CONTRADICTED_ASSUMPTION]
    assert refused.plans == (Plan("p2-1", PlanMode.VERIFY, "a1"),)
    assert conditions(revise(refused, [], turn=3)) == []
    repaired = after([EVENING], [Asserted(description="it is at noon", words="at noon", replaces=("a1",))])
    assert statuses(repaired)["a1"] is Status.CONTRADICTED
    assert conditions(repaired) == []


def test_an_assumption_is_never_promoted_to_a_fact() -> None:
    state = after([EVENING], [Asserted(description="It is in the evening.", words="ok, thanks")])
    assert statuses(state) == {"a1": Status.VALID}
    assert "never becomes a fact" in state.refused[0].because
    said = revise(state, [Asserted(description="it is in the evening", words="yes, evening", replaces=("a1",))], turn=3)
    assert statuses(said) == {"a1": Status.CLOSED, "f2": Status.OPEN}


def test_an_unsure_assumption_is_verified() -> None:
    state = after([Assumed(description="it is in Lyon", confidence=0.3)])
    assert conditions(state) == [Condition.UNSURE_ASSUMPTION]
    assert admissibility(state, tau=0.3) == ()


def test_constraints_that_cannot_hold_together_are_violated_until_one_goes() -> None:
    state = after([BUDGET], [Required(description="three stars", words="only three stars", against=("c1",))])
    assert statuses(state) == {"c1": Status.VIOLATED, "c2": Status.VIOLATED}
    assert [one.target for one in state.plans] == ["c1", "c2"]
    state = revise(state, [Withdrawn(element="c2", words="forget the stars")], turn=3)
    assert statuses(state) == {"c1": Status.SATISFIED, "c2": Status.CLOSED}


def test_a_constraint_is_superseded_by_a_stronger_one() -> None:
    state = after([BUDGET], [Required(description="at most 500 euros", words="make that 500", replaces=("c1",))])
    assert statuses(state) == {"c1": Status.CLOSED, "c2": Status.SATISFIED}


def test_a_constraint_that_was_checked_is_violated_until_it_is_found_satisfied() -> None:
    violated = Evaluated(constraint="c1", status=Status.VIOLATED, because="The menu costs 700 euros.")
    state = after([BUDGET], [violated])
    assert conditions(state) == [Condition.VIOLATED_CONSTRAINT]
    state = revise(state, [Evaluated(constraint="c1", status=Status.SATISFIED, because="It costs 550.")], turn=3)
    assert statuses(state) == {"c1": Status.SATISFIED}
    assert [one.because for one in state.history[1:]] == ["The menu costs 700 euros.", "It costs 550."]


def test_unknowns_are_verified_by_priority_before_violated_constraints_and_assumptions() -> None:
    state = after(
        [
            Assumed(description="it is in Lyon", confidence=0.3),
            Required(description="red", words="red", ref="r"),
            Required(description="no red", words="no red", against=("r",), weight=0.5),
            GUESTS,
            Missed(description="day", question="Which day?", priority=2.0),
        ]
    )
    assert [one.target for one in state.plans] == ["u5", "u4", "c2", "c3", "a1"]


def test_what_is_not_named_stays_the_same_object() -> None:
    before = after([GUESTS, BUDGET, EVENING])
    state = revise(before, [Withdrawn(element="a3", words="not in the evening")], turn=2)
    assert all(state.elements[key] is before.elements[key] for key in ("u1", "c2"))
