"""One case of a run, held by this worker alone: claimed by a lease, written as its items end, given back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.core.runs.answers import Figure
from evaluation.core.runs.plan import RunPlan
from evaluation.models import CaseState, EvaluationRun, ItemScore, ItemState, RunCase, RunItem, RunState
from memory.core.plain_text import all_storable
from memory.services.leases import Lease, is_free, lease_take

WRITTEN = (
    *("state", "reply", "error", "found", "passages", "trace", "first_token_ms", "total_ms"),
    *("calls", "prompt_tokens", "completion_tokens", "ended_at"),
)


class Interrupted(Exception):
    """Raised between items where the run was stopped or paused, or the worker has played long enough."""


@dataclass(frozen=True)
class Outcome:
    """How an item ended: a reply with its figures, or an error. A failed item has its figures too, without values."""

    item: RunItem
    figures: tuple[Figure, ...]
    reply: str = ""
    error: str = ""
    found: tuple[str, ...] = ()
    passages: Sequence[dict[str, Any]] = ()
    trace: Sequence[dict[str, Any]] = ()
    first_token_ms: float | None = None
    total_ms: float | None = None
    calls: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Claim:
    """A case that only this worker may write. `give_up` is when it gives the case back, `on_items` is told what ended."""

    run: EvaluationRun
    case: RunCase
    lease: Lease
    give_up: float = float("inf")
    on_items: Callable[[int], object] = field(default=lambda count: None)

    @cached_property
    def plan(self) -> RunPlan:
        return RunPlan.from_json(self.run.plan)

    def waiting(self) -> list[RunItem]:
        return list(RunItem.objects.filter(case=self.case, state=ItemState.WAITING).order_by("index"))

    def go_on(self, *_: object, may_give_up: bool = True) -> None:
        """Raise `Interrupted` where the run is not to go on now. What cost much and left nothing written is not given up."""
        if may_give_up and time.monotonic() >= self.give_up:
            raise Interrupted
        if not EvaluationRun.objects.filter(pk=self.run.pk, state=RunState.RUNNING).exists():
            raise Interrupted

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Write ended items with their figures in one transaction. Raises `LeaseLost`."""
        now = timezone.now()
        for one in outcomes:
            values = asdict_shallow(one)
            values |= {"state": ItemState.FAILED if one.error else ItemState.DONE, "ended_at": now}
            for name in WRITTEN:
                setattr(one.item, name, values[name])
        with self.lease.committing():
            RunItem.objects.bulk_update([one.item for one in outcomes], WRITTEN, batch_size=500)
            ItemScore.objects.bulk_create(
                [
                    ItemScore(item=one.item, **all_storable(asdict(figure)))
                    for one in outcomes
                    for figure in one.figures
                ],
                batch_size=5_000,
            )
            self.attempts_forget()
        self.on_items(len(outcomes))

    def attempts_forget(self) -> None:
        """Count anew the workers that the case ended: it did not end this one."""
        self.lease.held.update(attempts=0)

    def case_write(self, **columns: object) -> None:
        """Write columns of the case. Raises `LeaseLost`."""
        with self.lease.committing():
            self.lease.held.update(**columns)
        for name, value in columns.items():
            setattr(self.case, name, value)


def asdict_shallow(outcome: Outcome) -> dict[str, Any]:
    """Return what is stored of an outcome, without characters that the database does not hold."""
    return {name: value if name == "item" else all_storable(value) for name, value in vars(outcome).items()}


@transaction.atomic
def case_claim(run: EvaluationRun, **worker: Any) -> Claim | None:
    """Claim the first open and free case of a run; None where there is none. Those that others claim are passed over."""
    free = RunCase.objects.filter(is_free(), run=run).exclude(state=CaseState.DONE).order_by("index")
    found = free.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True).first()
    if found is None:
        return None
    rows = RunCase.objects.filter(pk=found)
    lease = lease_take(rows, attempts=F("attempts") + 1)
    return Claim(run, rows.get(), lease, **worker) if lease is not None else None
