"""A turn of SLSM's loop before the reply: the state is updated, admissibility is checked, and the plan is read off it."""

from collections.abc import Generator
from dataclasses import dataclass

from conversations.core.tracing.state_change import state_changed
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.semantic_state.admissibility import Objection, admissibility
from memory.core.semantic_state.elements import Element, Plan, PlanMode
from memory.core.semantic_state.evidence import EvidenceExtractor
from memory.core.semantic_state.keeping import StateKeeper, StateUpdate
from memory.core.types import Role, Utterance


@dataclass(frozen=True)
class TaskTurn:
    """The state after a message, why nothing may be closed yet, and what comes first of the plan."""

    update: StateUpdate
    objections: tuple[Objection, ...]
    plan: Plan

    @property
    def target(self) -> Element | None:
        """The element that is to be asked about, None where nothing is."""
        return self.update.state.elements.get(self.plan.target) if self.plan.mode is PlanMode.VERIFY else None


def task_turn(
    query: Query, *, states: StateKeeper, extractor: EvidenceExtractor
) -> Generator[ReplyPart, None, TaskTurn]:
    """Update the state by the message, and return where the task stands."""
    yield Stage("state", "reading what your message changes")
    said = (*query.history, Utterance(query.speaker, Role.USER, query.text, query.asked_at))
    update = states.update(said, round_id=query.round_id, extractor=extractor)
    objections = admissibility(update.state)
    plan = next(iter(update.state.plans), Plan("", PlanMode.PROCEED, ""))
    yield state_changed(update, objections, plan)
    return TaskTurn(update, objections, plan)
