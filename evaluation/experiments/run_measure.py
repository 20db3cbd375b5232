"""Plays runs for experiments, in the owner's space, where they stay: the same once more is taken from their cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from django.conf import settings

from conversations.bootstrap import responder_names
from evaluation.adapters.progress import progress_bar
from evaluation.core.errors import EvaluationError
from evaluation.core.experiments.comparison import MEASURED
from evaluation.core.report import Row
from evaluation.core.runs.plan import RunPlan
from evaluation.core.runs.rows import left_out_rows
from evaluation.models import EvaluationRun, RunState
from evaluation.services.runs import run_create, run_rows, run_start, run_work
from evaluation.services.runs.systems import unplayable
from memory.services.accounts import owner_account
from memory.services.spaces import space_personal

EVERY = "*"
PLANNED = ("engine", "judge", "only", "limit", "questions", "sample", "repeat")


def run_rows_of(kind: str, options: Mapping[str, object], *, path: Path, name: str, quiet: bool) -> list[Row]:
    """Return the rows of a run of this kind over the file, played to its end here, and of each system why it was not played.

    Raises `EvaluationError` where the run had to pause.
    """
    engine = str(options.get("engine") or settings.DSMART_ENGINE)
    asked = str(options["systems"])
    systems = responder_names() if asked == EVERY else asked.split(",")
    left_out = [(system, why) for system in systems if (why := unplayable(system, engine))]
    playable = tuple(system for system in systems if system not in dict(left_out))
    if not playable:
        return left_out_rows(left_out, MEASURED)
    owner = owner_account()
    plan = RunPlan(kind=kind, systems=playable, **{key: options[key] for key in PLANNED if key in options})
    run = run_create(space=space_personal(user=owner), by=owner, path=path, plan=plan, name=name, tags=["experiment"])
    return [*run_rows(run_play(run, quiet=quiet)), *left_out_rows(left_out, MEASURED)]


def run_play(run: EvaluationRun, *, quiet: bool) -> EvaluationRun:
    """Play all of a run in this process. Raises `EvaluationError` where it pauses; it can be resumed."""
    run_start(run=run, is_here=True)
    with progress_bar(run.items.count(), title=run.name, unit="items", hidden=quiet) as bar:
        while run_work(run_id=run.pk, on_items=bar.update):
            pass
    run.refresh_from_db()
    if run.state != RunState.DONE:
        raise EvaluationError(f"The run {run.pk} is {run.get_state_display().lower()}: {run.why or 'others play it'}")
    return run
