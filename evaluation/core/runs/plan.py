"""What a run is asked for."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from evaluation.core.errors import EvaluationError

ANSWERS, DIALOGUES, RETRIEVAL = KINDS = ("answers", "dialogues", "retrieval")
AUTO = "auto"
CaseT = TypeVar("CaseT")


@dataclass(frozen=True)
class RunPlan:
    """Systems to measure on the cases of a benchmark.

    `limit` is the most cases, `questions` the most of each category of a case. `sample` is a seed by which the cases are
    drawn instead of taking the first. `cuts`, `preset` and `writes_digests` are for retrieval, `modes` for tasks that are
    told in several ways. `left_out` names systems that were asked for and cannot be played, with why; `skipped`
    counts questions of the cases that cannot be measured, by the reason.
    """

    kind: str
    systems: tuple[str, ...]
    engine: str = ""
    judge: str = ""
    format: str = AUTO
    only: str = ""
    limit: int | None = None
    questions: int | None = None
    sample: int | None = None
    repeat: int = 1
    keeps_spaces: bool = False
    cuts: tuple[int, ...] = (5, 10)
    preset: str = AUTO
    writes_digests: bool = True
    modes: tuple[str, ...] = ("sharded",)
    left_out: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> RunPlan:
        """Return the plan that `as_json` gave, whatever database it was kept in; names that it does not know are left."""
        known = {field.name for field in fields(cls)}
        given = {name: _hashable(value) for name, value in content.items() if name in known}
        return cls(**given)

    def check(self) -> None:
        """Raise `EvaluationError` where the plan is none that can be played."""
        if self.kind not in KINDS:
            raise EvaluationError(f"There is no kind of run {self.kind!r}. Kinds: {', '.join(KINDS)}.")
        if not self.systems:
            raise EvaluationError("No system is named. Name one responder or retriever at least.")
        if len(set(self.systems)) < len(self.systems):
            raise EvaluationError("A system is named twice. Name each once; --repeat plays it again.")
        for name in ("limit", "questions", "repeat"):
            most = getattr(self, name)
            if most is not None and most < 1:
                raise EvaluationError(f"--{name} must be at least 1.")
        if self.sample is not None and self.limit is None:
            raise EvaluationError(
                "A sample is drawn of all cases, but how many is not said. Give --limit beside --sample."
            )

    def chosen(self, cases: Sequence[CaseT]) -> list[CaseT]:
        """Return the cases that are measured, in the order of the file."""
        if self.sample is None or self.limit is None or self.limit >= len(cases):
            return list(cases[: self.limit])
        places = random.Random(self.sample).sample(range(len(cases)), self.limit)
        return [cases[place] for place in sorted(places)]


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
