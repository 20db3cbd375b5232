"""Reads traces: their steps by pages, and sums over their model calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, FloatField, IntegerField, OuterRef, Q, Subquery, Sum, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, JSONObject

from memory.core.tracing import ModelCall, TraceStep, restored
from memory.models import MAINTENANCE, StepRecord, TraceRecord

STEPS_A_PAGE = 200


@dataclass(frozen=True)
class NumberedStep:
    """A step with its number in its trace."""

    number: int
    step: TraceStep


@dataclass(frozen=True)
class ModelUse:
    """The sum of model calls: their number, their tokens as far as servers report them, and the time waited."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    untold: int = 0
    milliseconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @classmethod
    def of(cls, annotated: dict[str, Any] | None) -> ModelUse:
        """Return the value of a `model_use` annotation, which is None where no model was called."""
        return cls(**{name: value or 0 for name, value in (annotated or {}).items()})


def model_use(**trace: OuterRef | Value | str) -> Subquery:
    """Return an annotation that sums the model calls of the steps that a filter finds, in one read.

    Example: `rounds.annotate(model_use=model_use(trace__round=OuterRef("pk")))`; read it by `ModelUse.of`.
    """
    calls = StepRecord.objects.filter(kind=ModelCall.kind, **trace).order_by()
    summed = JSONObject(
        calls=Count("pk"),
        prompt_tokens=Sum(Cast(KT("figures__prompt_tokens"), IntegerField())),
        completion_tokens=Sum(Cast(KT("figures__completion_tokens"), IntegerField())),
        untold=Count("pk", filter=Q(figures__completion_tokens=None)),
        milliseconds=Sum(Cast(KT("figures__milliseconds"), FloatField())),
    )
    return Subquery(calls.values("kind").annotate(use=summed).values("use"))


def maintenance_use(round_id: str = "pk") -> Subquery:
    """Return the annotation of a round's maintenance: the sum of its model calls."""
    return model_use(trace__round=OuterRef(round_id), trace__part=MAINTENANCE)


def steps_of(trace: TraceRecord, *, after: int = 0, limit: int = STEPS_A_PAGE) -> list[NumberedStep]:
    """Return the steps of a trace with a number above `after`, in order."""
    rows = StepRecord.objects.filter(trace=trace.pk, number__gt=after).order_by("number")
    return [NumberedStep(row.number, restored(row.kind, row.figures, row.words)) for row in rows[:limit]]
