"""Plays runs: a worker claims a case, plays what of it has not ended, and lets a judge look at it.

Any number of workers play a run. A case is one worker's by a lease; what ends is written at once, so that whoever takes over
the case of a worker that died goes on behind its last item. No transaction is open while anything is asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from django.utils import timezone

from evaluation.core.errors import EvaluationError
from evaluation.core.runs.identity import RunIdentity
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL, RunPlan
from evaluation.models import CaseState, EvaluationRun, RunItem, RunState
from evaluation.services.runs.answers import answers_failed, answers_play
from evaluation.services.runs.claims import Claim, Interrupted, Outcome, case_claim
from evaluation.services.runs.dialogues import dialogues_failed, dialogues_play
from evaluation.services.runs.faults import EngineGone, gone
from evaluation.services.runs.identity import identity_of
from evaluation.services.runs.judging import case_judge, case_unjudged
from evaluation.services.runs.retrieval import retrieval_failed, retrieval_play
from evaluation.services.runs.state import changed_sentence, open_cases, run_end, run_pause, workers_ask
from evaluation.services.runs.systems import engines_check
from evaluation.services.spaces import abandoned_spaces_forget, space_leave
from memory.adapters.row_security.scope import everything, spaces
from memory.core.errors import MemoryCoreError
from memory.services.leases import LeaseLost

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
# No run holds a worker for long, behind which the scores of conversations wait.
TASK_S = 60.0
PLAYERS: dict[str, Callable[[Claim], None]] = {
    ANSWERS: answers_play,
    DIALOGUES: dialogues_play,
    RETRIEVAL: retrieval_play,
}
FAILING: dict[str, Callable[[Claim, Sequence[RunItem], str], list[Outcome]]] = {
    ANSWERS: answers_failed,
    DIALOGUES: dialogues_failed,
    RETRIEVAL: retrieval_failed,
}


def run_work(
    *, run_id: int, seconds: float | None = None, on_items: Callable[[int], object] = lambda count: None
) -> bool:
    """Play one open case of a run, for `seconds` at most; return whether there was one for this worker.

    An engine that is gone pauses the run. Any other failure fails its item.
    """
    run = EvaluationRun.objects.filter(pk=run_id, state=RunState.RUNNING).first()
    if run is None or not is_fit_here(run):
        return False
    give_up = time.monotonic() + seconds if seconds is not None else float("inf")
    claim = case_claim(run, give_up=give_up, on_items=on_items)
    if claim is None:
        run_close(run.pk)
        return False
    with spaces(run.space_id, claim.case.scratch_id), claim.lease.kept_alive():
        try:
            case_play(claim)
        except EngineGone as fault:
            run_pause(run_id=run.pk, why=str(fault))
            claim.attempts_forget()
        except Interrupted:
            claim.attempts_forget()
        except LeaseLost:
            pass
        finally:
            claim.lease.release()
    run_close(run.pk)
    return True


def run_close(run_id: int) -> None:
    """End a run of which nothing is open, and tidy up after workers that were killed long ago."""
    if run_end(run_id=run_id):
        with everything():
            abandoned_spaces_forget()


def run_play(*, run_id: int) -> bool:
    """Play a part of a run as a task of Celery, and ask for another worker in its place; return whether it did anything."""
    has_played = run_work(run_id=run_id, seconds=TASK_S)
    if has_played:
        workers_ask(run_id)
    return has_played


def case_play(claim: Claim) -> None:
    """Play what of a case has not ended, and close it."""
    if claim.case.attempts > MAX_ATTEMPTS:
        case_fail(claim)
    PLAYERS[claim.run.kind](claim)
    case_judge(claim)
    scratch, keeper = claim.case.scratch, claim.run.created_by if claim.run.keeps_spaces else None
    if scratch is not None and keeper is not None:
        space_leave(space=scratch, to=keeper)
    claim.case_write(state=CaseState.DONE, scratch=scratch if keeper is not None else None)
    if scratch is not None and keeper is None:
        space_leave(space=scratch, to=None)


def case_fail(claim: Claim) -> None:
    """End what waits of a case that ended its workers; where nothing does, its judge did, and looks at it no more."""
    waiting = claim.waiting()
    if waiting:
        why = f"The worker ended {MAX_ATTEMPTS} times while it played this case."
        claim.write(FAILING[claim.run.kind](claim, waiting, why))
    elif claim.run.judge:
        case_unjudged(claim, f"The worker ended {MAX_ATTEMPTS} times while the judge looked at this case.")


def is_fit_here(run: EvaluationRun) -> bool:
    """Return whether this process can play a run under its identity; else pause it, unless others play it."""
    identity, plan = RunIdentity.from_json(run.identity), RunPlan.from_json(run.plan)
    try:
        engines_check(plan, run.space)
        changed = identity.differences(identity_of(plan, data=identity.data))
        why = changed_sentence(run.name, changed) if changed else gone(run.engine)
    except (MemoryCoreError, EvaluationError) as error:
        why = str(error)
    if why and not open_cases(run.pk).filter(lease_until__gte=timezone.now()).exists():
        run_pause(run_id=run.pk, why=why)
    return not why
