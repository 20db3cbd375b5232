"""The figures of a run in the one form of every measurement."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings
from django.db.models import Min, Q, Sum

from evaluation.adapters.identity import identity
from evaluation.core.abstention import abstention_rows
from evaluation.core.interval_rows import grouped
from evaluation.core.refusals import says_not_known
from evaluation.core.report import Row
from evaluation.core.runs.metrics import ACCURACY, CONSISTENCY, ItemCost
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL, RunPlan
from evaluation.core.runs.rows import in_order, item_rows, left_out_rows, score_rows
from evaluation.core.runs.tables import RunReport
from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.item_scores import ENDED, effective_scores

MAIN = {ANSWERS: ACCURACY, DIALOGUES: CONSISTENCY, RETRIEVAL: "mrr"}


def run_rows(run: EvaluationRun) -> list[Row]:
    """Return the rows of what has ended of a run; nothing in them tells when it was played, or what came from the cache."""
    plan = RunPlan.from_json(run.plan)
    scores = effective_scores([run.pk])
    costs = costs_of(run)
    rows = [
        *score_rows(scores, has_positions=plan.kind == DIALOGUES),
        *(refusal_rows(run) if plan.kind == ANSWERS else ()),
        *item_rows(costs),
    ]
    return [
        *in_order(rows, plan.systems),
        *left_out_rows(plan.left_out, MAIN[plan.kind]),
        *memory_rows(run),
        *skipped_rows(plan),
    ]


def run_report(run: EvaluationRun) -> RunReport:
    """Return the report of a run. Runs of one identity have the same, whatever came from the cache."""
    made_with = identity(code_folder=settings.BASE_DIR, config={**run.identity, "plan": run.plan})
    made_with = replace(made_with, code=run.identity["code"], data={run.data_name: run.identity["data"]})
    return RunReport("evaluate run", made_with, run_rows(run), kind=run.kind, judged=run.identity["judge_metric"])


def costs_of(run: EvaluationRun) -> list[ItemCost]:
    columns = (
        "case__key",
        "system",
        "total_ms",
        "first_token_ms",
        "calls",
        "prompt_tokens",
        "completion_tokens",
        "error",
    )
    items = RunItem.objects.filter(run=run, state__in=ENDED).order_by("index")
    return [ItemCost(*values) for values in items.values_list(*columns)]


def refusal_rows(run: EvaluationRun) -> list[Row]:
    """Return precision and recall of refusing of each system, where some of the questions cannot be answered."""
    items = RunItem.objects.filter(run=run, state__in=ENDED, expected__isnull=False).order_by("index")
    if not items.filter(expected=[]).exists():
        return []
    told = [
        (system, case, says_not_known(reply), not expected)
        for system, case, reply, expected in items.values_list("system", "case__key", "reply", "expected")
    ]
    rows: list[Row] = []
    for system, own in grouped(told, lambda one: one[0]).items():
        by_case = grouped(own, lambda one: one[1])
        rows += abstention_rows(system, {case: [one[2:] for one in inside] for case, inside in by_case.items()})
    return rows


def skipped_rows(plan: RunPlan) -> list[Row]:
    """Return a row for each reason by which questions are no part of the run."""
    return [Row("questions", "skipped", count, "questions", why=why) for why, count in plan.skipped]


def memory_rows(run: EvaluationRun) -> list[Row]:
    """Return a row of the rounds that could not be read into the memory that was asked."""
    found = run.cases.aggregate(failed=Sum("rounds_failed"), why=Min("failure", filter=~Q(failure="")))
    if not found["failed"]:
        return []
    return [Row("memory", "rounds_failed", found["failed"], "rounds", why=found["why"])]
