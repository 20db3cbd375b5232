"""What a semantic state holds (SLSM, section 3.1, equations 1 to 5): facts, unknowns, assumptions, constraints and plans.

Departures from the paper:
- Facts and constraints have a `basis` like assumptions: the elements without which the user would not have said them
  ("because of her we need step-free access"). What rested on a retracted element falls with it, whatever its type.
- Every element keeps the turn it is from and the user's words (`words`) that brought it, so that each can be traced.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import ClassVar


class ElementKind(StrEnum):
    FACT = "fact"
    UNKNOWN = "unknown"
    ASSUMPTION = "assumption"
    CONSTRAINT = "constraint"


class Source(StrEnum):
    """Who asserted a fact."""

    USER = "user"
    TOOL = "tool"


class Status(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    VALID = "valid"
    CONTRADICTED = "contradicted"
    SATISFIED = "satisfied"
    VIOLATED = "violated"


class PlanMode(StrEnum):
    PROCEED = "proceed"
    VERIFY = "verify"


@dataclass(frozen=True, kw_only=True)
class Element:
    """What all elements have: an id that is never used again, a description in one sentence, and the turn it is from.

    `since` is the turn in which it got its status. `against` are elements that it cannot hold beside: as long as both count,
    the constraints among them are violated. A constraint against itself was found violated by nothing that has an id.
    `replaced_by` is what took its place. `said_on` is the day from which its words count ("by Friday"), in ISO format, empty
    where it is not known.
    """

    kind: ClassVar[ElementKind]
    current: ClassVar[frozenset[Status]]
    statuses: ClassVar[frozenset[Status]]

    id: str
    description: str
    turn: int
    status: Status
    words: str = ""
    basis: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    replaced_by: str = ""
    since: int = 0
    said_on: str = ""

    @property
    def is_current(self) -> bool:
        """Return whether the element still counts: it is neither closed nor contradicted."""
        return self.status in self.current


@dataclass(frozen=True, kw_only=True)
class Fact(Element):
    """What the user asserted or a tool returned (equation 1); never inferred."""

    kind: ClassVar[ElementKind] = ElementKind.FACT
    current: ClassVar[frozenset[Status]] = frozenset({Status.OPEN})
    statuses: ClassVar[frozenset[Status]] = frozenset({Status.OPEN, Status.CLOSED})

    source: Source = Source.USER
    status: Status = Status.OPEN


@dataclass(frozen=True, kw_only=True)
class Unknown(Element):
    """What the task needs and nobody said (equation 2), with the question that asks for it.

    `priority` is positive, higher is more urgent; `basis` is the paper's required_by. `answer` is the element that it
    became when it was resolved: an assumption or a constraint, or the fact that confirmed it.
    """

    kind: ClassVar[ElementKind] = ElementKind.UNKNOWN
    current: ClassVar[frozenset[Status]] = frozenset({Status.OPEN})
    statuses: ClassVar[frozenset[Status]] = frozenset({Status.OPEN, Status.CLOSED})

    question: str
    priority: float = 1.0
    answer: str = ""
    status: Status = Status.OPEN


@dataclass(frozen=True, kw_only=True)
class Assumption(Element):
    """What is provisionally taken to be so (equation 3); retractable, never promoted to a fact. `confidence` is in [0, 1].

    `answers` is the unknown that it resolves, if any.
    """

    kind: ClassVar[ElementKind] = ElementKind.ASSUMPTION
    current: ClassVar[frozenset[Status]] = frozenset({Status.VALID})
    statuses: ClassVar[frozenset[Status]] = frozenset({Status.VALID, Status.CLOSED, Status.CONTRADICTED})

    confidence: float
    answers: str | None = None
    status: Status = Status.VALID


@dataclass(frozen=True, kw_only=True)
class Constraint(Element):
    """An explicit requirement on the result (equation 4). `weight` is in (0, 1]: 1 must hold, less is a wish."""

    kind: ClassVar[ElementKind] = ElementKind.CONSTRAINT
    current: ClassVar[frozenset[Status]] = frozenset({Status.SATISFIED, Status.VIOLATED})
    statuses: ClassVar[frozenset[Status]] = frozenset({Status.SATISFIED, Status.CLOSED, Status.VIOLATED})

    weight: float = 1.0
    status: Status = Status.SATISFIED


@dataclass(frozen=True)
class Plan:
    """What the system does next about one element (equation 5). `target` is an element's id, empty for the task itself."""

    id: str
    mode: PlanMode
    target: str


@dataclass(frozen=True)
class StatusChange:
    """One entry of an element's history: at `turn` its status went from `before` (None: it was new) to `after`.

    `because` says why in a sentence for people; `evidence` are the words that brought it, `cause` the id of the element
    whose change led to it, empty where it was the evidence itself.
    """

    turn: int
    element: str
    before: Status | None
    after: Status
    because: str
    evidence: str = ""
    cause: str = ""


@dataclass(frozen=True)
class Refusal:
    """A change that was proposed and not made: what was proposed, in words, and why not."""

    turn: int
    proposed: str
    because: str


@dataclass(frozen=True)
class SemanticState:
    """S_t: all elements by id in the order they came, the plans for the next turn, and how everything came about.

    `turn` counts the user's turns that were read, `issued` the ids that were ever given. Nothing is ever deleted: what no
    longer counts has another status. A state may be loaded in part: all that counts, the unknowns whose `answer` counts, the
    assumptions contradicted in this turn, and what evidence names.
    """

    elements: Mapping[str, Element] = field(default_factory=lambda: MappingProxyType({}))
    plans: tuple[Plan, ...] = ()
    history: tuple[StatusChange, ...] = ()
    refused: tuple[Refusal, ...] = ()
    turn: int = 0
    issued: int = 0

    def current(self, kind: ElementKind) -> tuple[Element, ...]:
        """Return the elements of a kind that still count, in the order they came."""
        return tuple(one for one in self.elements.values() if one.kind is kind and one.is_current)


EMPTY_STATE = SemanticState()
