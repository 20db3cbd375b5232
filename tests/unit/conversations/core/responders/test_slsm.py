"""`slsm` with known evidence: what it says by rule, what it asks, and the step of its trace."""

from __future__ import annotations

from datetime import UTC, datetime

from conversations.core.responders.slsm.rule_based import standing
from conversations.core.responders.slsm.turning import TaskTurn, task_turn
from conversations.core.tracing.state_change import StateChanged
from conversations.core.types import Query
from memory.core.semantic_state.elements import ElementKind, PlanMode
from memory.core.semantic_state.keeping import state_of
from memory.core.types import Role, Utterance
from tests.fakes.evidence import ALLERGY, BUDGET, CHATTER, GUESTS, PLAN, dinner

AT = datetime(2024, 3, 2, 18, 20, tzinfo=UTC)


class KeptHere:
    """Implements `StateKeeper` without rows."""

    def update(self, said, *, round_id, extractor):
        return state_of(said, extractor=extractor)


def query(*texts: str) -> Query:
    *before, last = texts
    return Query(last, "Ana", AT, tuple(Utterance("Ana", Role.USER, text, AT) for text in before))


def turn_of(*texts: str) -> tuple[TaskTurn, StateChanged]:
    steps = task_turn(query(*texts), states=KeptHere(), extractor=dinner())
    parts = []
    while True:
        try:
            parts.append(next(steps))
        except StopIteration as end:
            return end.value, parts[-1]


def test_open_question_is_asked_and_nothing_else():
    turn, step = turn_of(PLAN)
    assert standing(turn) == "Noted: The dinner is on Saturday. How many guests will there be?"
    assert (step.mode, step.target) == (PlanMode.VERIFY, "the number of guests")
    assert [one.kind for one in step.changes] == ["fact", "unknown"] and step.objections


def test_assumptions_are_spoken_as_assumptions():
    said = standing(turn_of(PLAN, BUDGET)[0])
    assert "I keep to this: It costs at most 200 euros." in said
    assert "I take it that" in said and "six plates are enough" in said
    assert "Noted: There are six guests." in said


def test_what_fell_is_named_with_the_reason():
    turn, step = turn_of(PLAN, BUDGET, ALLERGY, GUESTS)
    said = standing(turn)
    assert "No longer so: There are six guests" in said and "Six plates are enough" in said
    assert "Noted: There are eight guests." in said
    [plates] = [one for one in step.changes if one.description == "Six plates are enough."]
    assert plates.cause == "There are six guests."
    assert "Nothing with nuts." in [one.description for one in turn.update.state.current(ElementKind.CONSTRAINT)]


def test_what_holds_is_told_when_something_was_settled_and_not_at_every_message():
    assert "What I know: " in standing(turn_of(PLAN, BUDGET, GUESTS)[0])
    added = standing(turn_of(PLAN, BUDGET, GUESTS, ALLERGY)[0])
    assert added.endswith("Nothing is open.") and "What I know" not in added


def test_chatter_changes_nothing():
    turn, step = turn_of(PLAN, CHATTER)
    assert turn.update.changes == () and step.changes == ()
    assert turn.target is not None, "the question stays open"
