"""Shows a change of the semantic state: what came, what went and why, what was refused, and what stands against going on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conversations.core.tracing.state_change import ElementChange, StateChanged
from memory.core.semantic_state.elements import PlanMode
from memory.selectors.tracing import NumberedStep
from memory.trace_views.base import Reading, StepView

GONE = ("closed", "contradicted")
# What a change is called by the statuses before and after it, the first that fits.
NAMES = {"": "new", "contradicted": "no longer so", "closed": "closed", "violated": "cannot be kept"}


@dataclass(frozen=True)
class ChangeShown:
    change: ElementChange

    @property
    def name(self) -> str:
        if self.change.before == "":
            return f"new {self.change.kind}"
        return NAMES.get(self.change.after, "holds again")

    @property
    def is_gone(self) -> bool:
        return self.change.after in GONE


@dataclass(frozen=True)
class StateShown:
    step: StateChanged
    changes: Sequence[ChangeShown]

    @property
    def plan(self) -> str:
        if self.step.mode is PlanMode.PROCEED:
            return "Nothing stood against answering."
        return f"To be settled first: {self.step.target}" if self.step.target else "Something was to be settled first."


class StateChangeView(StepView[StateChanged]):
    kind = StateChanged

    def shown_many(self, groups: Sequence[Sequence[NumberedStep]], reading: Reading) -> list[Any]:
        steps: list[StateChanged] = [group[0].step for group in groups]  # type: ignore[misc]
        return [StateShown(step, [ChangeShown(one) for one in step.changes]) for step in steps]

    def lines(self, shown: StateShown) -> list[str]:
        lines = ["Kept track of the task"]
        lines += [f"  {one.name}: {one.change.description} ({one.change.because})" for one in shown.changes]
        lines += [f"  refused: {one.proposed} ({one.because})" for one in shown.step.refused]
        lines += [f"  against going on: {one}" for one in shown.step.objections]
        return [*lines, f"  {shown.plan}"]
