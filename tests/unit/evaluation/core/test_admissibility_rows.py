"""Statistics of semantic states that allow to go on, or do not."""

from __future__ import annotations

from evaluation.core.state_match import admissibility_rows
from memory.core.semantic_state.admissibility import Condition

UNKNOWN, VIOLATED = Condition.UNRESOLVED_UNKNOWN, Condition.VIOLATED_CONSTRAINT


def test_a_state_is_admissible_where_nothing_stands_against_it() -> None:
    histories = {
        "a": [frozenset[Condition](), frozenset({UNKNOWN})],
        "b": [frozenset({UNKNOWN, VIOLATED}), frozenset[Condition]()],
    }
    rows = {
        row.metric: (row.name, row.value, row.n, row.group) for row in admissibility_rows("slsm", histories, group="g")
    }
    assert rows == {
        "admissible": ("slsm", 0.5, 4, "g"),
        "unresolved_unknown": ("slsm", 0.5, 4, "g"),
        "contradicted_assumption": ("slsm", 0.0, 4, "g"),
        "unsure_assumption": ("slsm", 0.0, 4, "g"),
        "violated_constraint": ("slsm", 0.25, 4, "g"),
    }


def test_no_states_have_no_share() -> None:
    assert {(row.value, row.why) for row in admissibility_rows("slsm", {})} == {(None, "there are no states")}
