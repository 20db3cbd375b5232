"""Plays runs for experiments, in the owner's space, where they stay: the same once more is taken from their cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from conversations.bootstrap import responder_names
from evaluation.core.errors import EvaluationError
from evaluation.core.experiments.comparison import MEASURED
from evaluation.core.report import Row
from evaluation.core.runs.plan import RunPlan
from evaluation.core.runs.rows import left_out_rows
from evaluation.models import RunState
from evaluation.services.runs import run_create, run_rows, run_start
from evaluation.services.runs.here import run_play_here
from evaluation.services.runs.systems import unplayable
from memory.services.accounts import owner_account
from memory.services.spaces import space_personal

EVERY = "*"
PLANNED = ("engine", "judge", "only", "limit", "questions", "sample", "repeat")


def run_rows_of(kind: str, options: Mapping[str, Any], *, path: Path, name: str, quiet: bool) -> list[Row]:
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
    made = run_create(space=space_personal(user=owner), by=owner, path=path, plan=plan, name=name, tags=["experiment"])
    run = run_play_here(run=run_start(run=made, is_here=True), quiet=quiet)
    if run.state != RunState.DONE:
        raise EvaluationError(
            f"The run {run.pk} is {run.get_state_display().lower()}: {run.why or 'it was stopped'} What ended is kept: "
            "the same command goes on from it."
        )
    return [*run_rows(run), *left_out_rows(left_out, MEASURED)]
