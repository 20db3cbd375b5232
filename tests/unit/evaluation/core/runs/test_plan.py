"""What a run is asked for."""

from __future__ import annotations

import json

import pytest

from evaluation.core.errors import EvaluationError
from evaluation.core.runs.plan import ANSWERS, RETRIEVAL, RunPlan

PLAN = RunPlan(RETRIEVAL, ("s", "fused"), limit=3, sample=7, cuts=(1, 5), left_out=(("mini_rag", "It reads a graph."),))


def test_plan_is_the_same_after_json() -> None:
    assert RunPlan.from_json(json.loads(json.dumps(PLAN.as_json()))) == PLAN


def test_plan_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    assert RunPlan.from_json({**PLAN.as_json(), "mood": "good"}) == PLAN


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (RunPlan("guesses", ("a",)), "There is no kind of run 'guesses'. Kinds: answers, dialogues, retrieval."),
        (RunPlan(ANSWERS, ()), "No system is named"),
        (RunPlan(ANSWERS, ("a", "a")), "named twice"),
        (RunPlan(ANSWERS, ("a",), limit=0), "--limit must be at least 1."),
        (RunPlan(ANSWERS, ("a",), questions=-1), "--questions must be at least 1."),
        (RunPlan(ANSWERS, ("a",), sample=1), "Give --limit beside --sample."),
    ],
)
def test_plan_that_cannot_be_played_says_why(plan: RunPlan, message: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        plan.check()
    assert message in str(refused.value)


def test_first_cases_are_taken_and_a_sample_is_drawn_by_its_seed() -> None:
    cases = list(range(20))
    assert RunPlan(ANSWERS, ("a",)).chosen(cases) == cases
    assert RunPlan(ANSWERS, ("a",), limit=3).chosen(cases) == [0, 1, 2]
    drawn = [RunPlan(ANSWERS, ("a",), limit=5, sample=seed).chosen(cases) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] == sorted(drawn[0]) != drawn[2]
    assert RunPlan(ANSWERS, ("a",), limit=30, sample=1).chosen(cases) == cases
