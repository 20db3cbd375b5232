"""Whether a state allows to go on without asking (SLSM, sections 3.1 and 3.2, closure-admissibility).

Departures from the paper:
- The reasons are returned, one for each element that stands against going on; none of them means admissible.
- The four conditions do not mention a target, so they are those of the state, whatever is to be closed.
- A contradicted assumption stays so for ever, and would block for ever. It blocks in the turn in which it was contradicted,
  until something takes its place: the reply to that turn speaks of it (ADR 32).
"""

from dataclasses import dataclass
from enum import StrEnum

from memory.core.semantic_state.elements import Assumption, Constraint, Element, SemanticState, Status, Unknown

# The paper names no value: an assumption that is more likely wrong than right is asked about.
TAU = 0.5


class Condition(StrEnum):
    """The preconditions of section 3.2, in its order."""

    UNRESOLVED_UNKNOWN = "unresolved_unknown"
    CONTRADICTED_ASSUMPTION = "contradicted_assumption"
    UNSURE_ASSUMPTION = "unsure_assumption"
    VIOLATED_CONSTRAINT = "violated_constraint"


@dataclass(frozen=True)
class Objection:
    """A condition that does not hold, the elements that break it (the first is the one to ask about), and a sentence."""

    condition: Condition
    elements: tuple[str, ...]
    because: str


def admissibility(state: SemanticState, *, tau: float = TAU) -> tuple[Objection, ...]:
    """Return what stands against going on, in the order of the paper's conditions; nothing where the state is admissible.

    A valid assumption must have a confidence of at least `tau`, in [0, 1].
    """
    against = conflicts(state)
    found = [one for element in state.elements.values() if (one := _objection(element, state, tau, against))]
    return tuple(sorted(found, key=lambda one: list(Condition).index(one.condition)))


def conflicts(state: SemanticState) -> dict[str, tuple[str, ...]]:
    """Return what each element cannot hold beside, of what counts: both ways, for whichever of two was told so."""
    found: dict[str, dict[str, None]] = {}
    for element in state.elements.values():
        for other in element.against if element.is_current else ():
            if other in state.elements and state.elements[other].is_current:
                found.setdefault(element.id, {})[other] = None
                found.setdefault(other, {})[element.id] = None
    return {key: tuple(others) for key, others in found.items()}


def _objection(
    element: Element, state: SemanticState, tau: float, against: dict[str, tuple[str, ...]]
) -> Objection | None:
    match element:
        case Unknown(status=Status.OPEN):
            return Objection(
                Condition.UNRESOLVED_UNKNOWN, (element.id,), f"It is not known: {_bare(element.description)}."
            )
        case Assumption(status=Status.CONTRADICTED, replaced_by="") if element.since == state.turn:
            because = f"What was assumed is wrong: {_bare(element.description)}."
            return Objection(Condition.CONTRADICTED_ASSUMPTION, (element.id,), because)
        case Assumption(status=Status.VALID) if element.confidence < tau:
            because = f"It is only assumed, and not surely enough: {_bare(element.description)}."
            return Objection(Condition.UNSURE_ASSUMPTION, (element.id,), because)
        case Constraint(status=Status.VIOLATED):
            others = tuple(other for other in against.get(element.id, ()) if other != element.id)
            beside = " and ".join(f'"{_bare(state.elements[other].description)}"' for other in others)
            fails = f"does not hold beside {beside}" if beside else "does not hold"
            because = f"It is required and {fails}: {_bare(element.description)}."
            return Objection(Condition.VIOLATED_CONSTRAINT, (element.id, *others), because)
    return None


def _bare(description: str) -> str:
    return description.rstrip(". ")
