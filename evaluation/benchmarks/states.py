"""Histories of a task with checks of its semantic state, one JSON object a line.

    {"id": "h-1", "category": "cascade", "turns": [{"role": "user", "text": "Dinner for six on Saturday."}, ...],
     "checks": [{"after": 0, "holds": [{"type": "fact", "words": ["six|6"]}], "absent": [], "plan": "verify"}],
     "state": [{"type": "fact", "words": ["saturday"]}]}

`after` is the place of a user turn. An entry names elements of a type whose description has all of its words ("a|b": either).
`state`, which may be left out, are all elements that count after the last turn. `evidence` of turns is not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.benchmarks.reading import Field, read_json_lines
from evaluation.core.state_match import StateCheck, WantedElement
from memory.core.semantic_state.elements import ElementKind, PlanMode
from memory.core.types import Role


@dataclass(frozen=True)
class StateHistory:
    """A history: its turns as (role, words), its checks, and the whole state at its end, None where it is not given."""

    id: str
    category: str
    turns: tuple[tuple[Role, str], ...]
    checks: tuple[StateCheck, ...]
    state: tuple[WantedElement, ...] | None


def read_histories(path: Path) -> Iterator[StateHistory]:
    """Yield the histories of a file. Raises `MalformedBenchmark` that names the record and the field."""
    for record in read_json_lines(path):
        turns = tuple((turn.need("role").role(), turn.need("text").text()) for turn in record.need("turns").items())
        state = record.find("state")
        yield StateHistory(
            id=record.need("id").name(),
            category=record.need("category").name(),
            turns=turns,
            checks=tuple(_check(check, turns) for check in record.need("checks").items()),
            state=None if state is None else _wanted(state),
        )


def _check(field: Field, turns: tuple[tuple[Role, str], ...]) -> StateCheck:
    after, plan = field.need("after"), field.find("plan")
    if not isinstance(after.value, int) or not 0 <= after.value < len(turns) or turns[after.value][0] is not Role.USER:
        after.fail("the place of a user's turn")
    if plan is not None and plan.text() not in tuple(PlanMode):
        plan.fail(" or ".join(repr(mode.value) for mode in PlanMode))
    absent = field.find("absent")
    return StateCheck(
        after=after.value,
        holds=_wanted(field.need("holds")),
        absent=() if absent is None else _wanted(absent),
        plan=None if plan is None else PlanMode(plan.text()),
    )


def _wanted(field: Field) -> tuple[WantedElement, ...]:
    return tuple(_element(entry) for entry in field.items())


def _element(field: Field) -> WantedElement:
    kind = field.need("type")
    if kind.text() not in tuple(ElementKind):
        kind.fail(" or ".join(repr(one.value) for one in ElementKind))
    words = tuple(tuple(word.answer().split("|")) for word in field.need("words").items())
    if not words:
        field.fail("an entry with words")
    return WantedElement(ElementKind(kind.text()), words)
