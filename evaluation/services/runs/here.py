"""Plays a run in the process of a command, beside whatever workers play it too."""

from __future__ import annotations

import time

from evaluation.adapters.progress import progress_bar
from evaluation.models import EvaluationRun, RunState
from evaluation.selectors.runs import run_progress
from evaluation.services.runs.playing import run_work
from evaluation.services.runs.state import run_stop

POLL_S = 1.0


def run_play_here(*, run: EvaluationRun, quiet: bool = False) -> EvaluationRun:
    """Play a started run until it has ended, or is paused or stopped by anybody; Ctrl-C stops it between two items.

    Where other workers hold what is left of it, wait for them.
    """
    progress = run_progress(run)
    with progress_bar(progress.total, title=run.name, unit="items", hidden=quiet) as bar:
        bar.update(progress.ended)
        try:
            while is_running(run):
                if not run_work(run_id=run.pk, on_items=bar.update) and is_running(run):
                    time.sleep(POLL_S)
        except KeyboardInterrupt:
            run_stop(run=run)
    run.refresh_from_db()
    return run


def is_running(run: EvaluationRun) -> bool:
    return EvaluationRun.objects.filter(pk=run.pk, state=RunState.RUNNING).exists()
