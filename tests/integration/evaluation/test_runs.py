"""Runs of questions: made, played, stopped, paused, resumed, taken from the cache."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from evaluation.core.runs.plan import ANSWERS, RunPlan
from evaluation.models import EvaluationRun, RunState
from evaluation.services.runs import run_create, run_rows, run_start, run_work
from memory.models import Space
from tests.integration.evaluation.conftest import moving_case

pytestmark = pytest.mark.django_db


@pytest.fixture
def make(small_engine, space: Space, owner: User, dialogue_file, answering) -> Callable[..., EvaluationRun]:
    answering(knows="You live in Lyon.", shrugs="I don't know that yet.")

    def run(*cases: dict[str, object], systems: tuple[str, ...] = ("knows", "shrugs"), **plan: object) -> EvaluationRun:
        path = dialogue_file(*(cases or (moving_case("ana"), moving_case("ben"))))
        return run_create(space=space, by=owner, path=path, plan=RunPlan(ANSWERS, systems, **plan))

    return run


def play(run: EvaluationRun) -> EvaluationRun:
    run_start(run=run)
    while run_work(run_id=run.pk):
        pass
    run.refresh_from_db()
    return run


def test_run_measures_every_system_on_every_question(make) -> None:
    run = play(make())
    assert (run.state, run.why) == (RunState.DONE, "")
    print(json.dumps([row.as_json() for row in run_rows(run)], indent=0))
    assert False
