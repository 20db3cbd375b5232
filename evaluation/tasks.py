"""Celery tasks of evaluation: they delegate. Each sees the rows of one space at a time."""

from __future__ import annotations

from celery import shared_task

from evaluation.models import AnnotationProject, EvaluationRun
from evaluation.services.annotation.machine import MACHINE_TASK, machine_run
from evaluation.services.fact_checks import checks_run
from evaluation.services.fact_promises import CHECK_TASK
from evaluation.services.runs.playing import run_play
from evaluation.services.runs.state import RUN_TASK
from evaluation.services.score_promises import SCORE_TASK
from evaluation.services.scores import scores_run
from memory.selectors.access import space_of


@shared_task(name=SCORE_TASK)
def score_turns() -> int:
    return scores_run()


@shared_task(name=CHECK_TASK)
def check_facts() -> int:
    return checks_run()


@shared_task(name=RUN_TASK)
def play_run(run_id: int) -> bool:
    with space_of(EvaluationRun, run_id):
        return run_play(run_id=run_id)


@shared_task(name=MACHINE_TASK)
def answer_items(project_id: int) -> int:
    with space_of(AnnotationProject, project_id):
        return machine_run(project_id=project_id)
