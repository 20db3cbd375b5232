"""The trace step of a change of the semantic state (SLSM)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from memory.core.semantic_state.admissibility import Objection
from memory.core.semantic_state.elements import Plan, PlanMode
from memory.core.semantic_state.keeping import StateUpdate
from memory.core.tracing import Lines, TraceStep, Wordings, Words


@dataclass(frozen=True)
class ElementChange:
    """How one element changed: its kind, what it says, its status before (empty: it is new) and after, and why."""

    element: str
    kind: str
    description: str
    before: str
    after: str
    because: str
    cause: str


@dataclass(frozen=True)
class RefusedChange:
    proposed: str
    because: str


@dataclass(frozen=True)
class StateChanged(TraceStep):
    """What a message changed of the state, what was refused, why nothing may be closed yet, and what comes next."""

    kind: ClassVar[str] = "state_change"

    mode: PlanMode
    current: int
    changes: Wordings[ElementChange] = ()
    refused: Wordings[RefusedChange] = ()
    objections: Lines = ()
    target: Words = ""


def state_changed(update: StateUpdate, objections: Sequence[Objection], plan: Plan) -> StateChanged:
    elements = update.state.elements
    return StateChanged(
        mode=plan.mode,
        current=sum(one.is_current for one in elements.values()),
        changes=tuple(
            ElementChange(
                one.element,
                elements[one.element].kind,
                elements[one.element].description,
                one.before or "",
                one.after,
                one.because,
                elements[one.cause].description if one.cause in elements else "",
            )
            for one in update.changes
        ),
        refused=tuple(RefusedChange(one.proposed, one.because) for one in update.refused),
        objections=tuple(one.because for one in objections),
        target=elements[plan.target].description if plan.target in elements else "",
    )
