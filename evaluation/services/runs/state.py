"""The states of a run: started, stopped, paused with a reason, resumed where nothing changed, ended, deleted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from evaluation.adapters.identity import content_digest
from evaluation.core.errors import RunRefused
from evaluation.core.runs.identity import RunIdentity
from evaluation.core.runs.plan import RunPlan
from evaluation.models import CaseState, EvaluationRun, RunCase, RunState
from evaluation.services.runs.identity import identity_of
from evaluation.services.runs.systems import engines_check
from evaluation.services.spaces import evaluation_account
from memory.adapters.row_security.scope import everything, spaces
from memory.core.errors import MemoryCoreError
from memory.models import OutboxRecord, Space
from memory.services import space_forget
from memory.services.leases import is_free

RUN_TASK = "evaluation.play_run"
RUN_QUEUE = "evaluation"
# Nobody plays a run of which nothing ended in this time.
IDLE = timedelta(seconds=30)
# So many workers are asked at once; each asks for another when it has played a case.
WORKERS_ASKED = 32
RESUMABLE = (RunState.PAUSED, RunState.STOPPED, RunState.RUNNING)


@transaction.atomic
def run_start(*, run: EvaluationRun, is_here: bool = False) -> EvaluationRun:
    """Let workers play a run that waits. `is_here`, the caller plays it, and no worker is asked. Raises `RunRefused`."""
    locked = run_lock(run)
    if locked.state != RunState.WAITING:
        raise RunRefused(f"The run {locked.name!r} was started already. Resume it where it is paused or stopped.")
    return _go(locked, is_here=is_here)


@transaction.atomic
def run_stop(*, run: EvaluationRun) -> EvaluationRun:
    """Stop a run: what is being played ends first. One that has ended stays as it is."""
    locked = run_lock(run)
    if locked.state != RunState.DONE:
        locked.state, locked.why = RunState.STOPPED, ""
        locked.save(update_fields=["state", "why"])
    return locked


def run_pause(*, run_id: int, why: str) -> bool:
    """Let a run wait for a person, with the reason."""
    return EvaluationRun.objects.filter(pk=run_id, state=RunState.RUNNING).update(state=RunState.PAUSED, why=why) > 0


def run_resume(*, run: EvaluationRun, path: Path | None = None, is_here: bool = False) -> EvaluationRun:
    """Go on with a run that was stopped, paused or left by its workers; nothing that ended is played again.

    The run keeps its cases, so no file is needed. A file that is given must be the one that it was made from. Raises
    `RunRefused` where that or anything else changed on which its figures depend.
    """
    identity = RunIdentity.from_json(run.identity)
    if path is not None and content_digest(path) != identity.data:
        raise RunRefused(
            f"{path.name} is not the file that the run {run.name!r} was made from: its content is another. "
            "Make a new run of it; what is the same in both is taken from the cache."
        )
    plan = RunPlan.from_json(run.plan)
    engines_check(plan, run.space)
    try:
        changed = identity.differences(identity_of(plan, data=identity.data))
    except MemoryCoreError as error:
        raise RunRefused(str(error)) from error
    if changed:
        raise RunRefused(changed_sentence(run.name, changed))
    with transaction.atomic():
        locked = run_lock(run)
        if locked.state not in RESUMABLE:
            raise RunRefused(f"The run {locked.name!r} is {locked.get_state_display().lower()}: nothing is to resume.")
        return _go(locked, is_here=is_here)


def changed_sentence(name: str, changed: list[str]) -> str:
    return (
        f"The run {name!r} cannot go on, because its figures would be of two kinds: {', '.join(changed)} changed since it "
        "was made. Put that back, or make a new run."
    )


def run_end(*, run_id: int) -> bool:
    """End a run that has no open case any more; return whether it has ended by this call."""
    run = EvaluationRun.objects.filter(pk=run_id, state=RunState.RUNNING)
    if RunCase.objects.filter(run=run_id).exclude(state=CaseState.DONE).exists():
        return False
    return run.update(state=RunState.DONE, ended_at=timezone.now()) > 0


def run_delete(*, run: EvaluationRun) -> None:
    """Delete a run with its items and the scratch spaces that it has still; spaces that were kept are their member's."""
    account = evaluation_account()
    with everything():
        scratch = list(Space.objects.filter(pk__in=run.cases.values("scratch"), memberships__user=account))
    run.delete()
    for space in scratch:
        with spaces(space.pk):
            space_forget(space=space)


def run_lock(run: EvaluationRun) -> EvaluationRun:
    return EvaluationRun.objects.select_for_update(no_key=True).get(pk=run.pk)


def _go(locked: EvaluationRun, *, is_here: bool) -> EvaluationRun:
    locked.state, locked.why = RunState.RUNNING, ""
    locked.started_at = locked.started_at or timezone.now()
    locked.save(update_fields=["state", "why", "started_at"])
    if not run_end(run_id=locked.pk) and not is_here:
        workers_ask(locked.pk, min(WORKERS_ASKED, open_cases(locked.pk).filter(is_free()).count()))
    locked.refresh_from_db()
    return locked


@transaction.atomic
def runs_sweep() -> None:
    """Ask for a worker in place of each that died with a case, and for one where a run is played by nobody."""
    now = timezone.now()
    for run in EvaluationRun.objects.filter(state=RunState.RUNNING, started_at__lt=now - IDLE):
        cases = open_cases(run.pk).aggregate(
            held=Count("pk", filter=Q(lease_until__gte=now)), lost=Count("pk", filter=Q(lease_until__lt=now))
        )
        is_idle = not cases["held"] and not run.items.filter(ended_at__gte=now - IDLE).exists()
        workers_ask(run.pk, max(cases["lost"], int(is_idle)))


def open_cases(run_id: int) -> QuerySet[RunCase]:
    return RunCase.objects.filter(run=run_id).exclude(state=CaseState.DONE)


def workers_ask(run_id: int, count: int = 1) -> None:
    """Queue, in the caller's transaction, tasks each of which plays a case of a run."""
    for _ in range(count):
        OutboxRecord.objects.create(task=RUN_TASK, arguments={"run_id": run_id}, queue=RUN_QUEUE)
