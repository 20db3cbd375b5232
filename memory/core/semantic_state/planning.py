"""What to do next, which the state alone decides (SLSM, section 3.2, coupling state update with plan derivation).

Departure from the paper: contradicted and unsure assumptions are verified too. The paper names unknowns and violated
constraints, and would have no plan at all where only an assumption stands against going on.
"""

from memory.core.semantic_state.admissibility import TAU, Condition, Objection, admissibility
from memory.core.semantic_state.elements import Assumption, Constraint, Plan, PlanMode, SemanticState, Unknown

_ORDER = (
    Condition.UNRESOLVED_UNKNOWN,
    Condition.VIOLATED_CONSTRAINT,
    Condition.CONTRADICTED_ASSUMPTION,
    Condition.UNSURE_ASSUMPTION,
)


def derive_plans(state: SemanticState, *, tau: float = TAU) -> tuple[Plan, ...]:
    """Return the plans for the next turn, the one that matters most first.

    Whatever stands against going on is to be verified: unknowns by priority, constraints by weight, then contradicted
    assumptions, then the least sure ones. Where nothing does, the one plan is to proceed with the task.
    """
    objections = sorted(admissibility(state, tau=tau), key=lambda one: _rank(one, state))
    steps = [(PlanMode.VERIFY, one.elements[0]) for one in objections] or [(PlanMode.PROCEED, "")]
    return tuple(Plan(f"p{state.turn}-{number}", *step) for number, step in enumerate(steps, start=1))


def _rank(objection: Objection, state: SemanticState) -> tuple[int, float]:
    urgency = 0.0
    match state.elements[objection.elements[0]]:
        case Unknown(priority=priority):
            urgency = priority
        case Constraint(weight=weight):
            urgency = weight
        case Assumption(confidence=confidence):
            urgency = -confidence
    return _ORDER.index(objection.condition), -urgency
