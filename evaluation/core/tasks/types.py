"""Types of tasks that are told over several turns, and of what responders made of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """How a sharded instruction is told (Laban et al., 2025): whole, all shards at once, or one shard a turn."""

    FULL = "full"
    CONCATENATED = "concatenated"
    SHARDED = "sharded"


class Scoring(StrEnum):
    """What a task's replies are scored by. A judge is no part of this product: such replies are only written."""

    NUMBER = "number"
    LABEL = "label"
    CONSTRAINT = "constraint"
    JUDGE = "judge"


@dataclass(frozen=True)
class Constraint:
    """A rule that every reply of a task must keep: its kind, and what it is about, such as a letter or a count."""

    kind: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskTurn:
    """What the user says. `given` is the reply that stands in the file, so that none is asked for; `label` the right one."""

    text: str
    given: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Task:
    """One conversation of a benchmark. `number` is the right result, `labels` are those to choose among.

    `mode` is empty where a benchmark tells its tasks in one way only. A judge holds the last reply against `criteria`.
    """

    id: str
    category: str
    scoring: Scoring
    turns: tuple[TaskTurn, ...]
    mode: str = ""
    number: str = ""
    labels: tuple[str, ...] = ()
    constraint: Constraint | None = None
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayedTurn:
    """A turn and the reply to it. `calls` and `upkeep_calls` are of a language model, for the reply and after it."""

    text: str
    reply: str
    is_given: bool = False
    label: str = ""
    milliseconds: float = 0.0
    calls: int = 0
    upkeep_calls: int = 0
    cached: int = 0


@dataclass(frozen=True)
class PlayedTask:
    """One task played once through one responder, as it stands in a line of the file of items.

    `key` is a digest of all that the replies depend on. `error` says why the conversation broke off; such an item has no
    point, stays in the denominator, and is played again by the next run.
    """

    key: str
    task: Task
    benchmark: str
    responder: str
    engine: str
    repeat: int
    turns: tuple[PlayedTurn, ...]
    error: str = ""

    @property
    def replied(self) -> tuple[PlayedTurn, ...]:
        """The turns whose replies are the responder's own."""
        return tuple(turn for turn in self.turns if not turn.is_given)
