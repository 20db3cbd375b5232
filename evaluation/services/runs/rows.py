"""The figures of a run in the one form of every measurement."""

from __future__ import annotations

from django.db.models import Min, Q, Sum

from evaluation.core.report import Row
from evaluation.core.runs.metrics import ACCURACY, CONSISTENCY
from evaluation.core.runs.plan import ANSWERS, DIALOGUES, RETRIEVAL, RunPlan
from evaluation.core.runs.rows import in_order, item_rows, left_out_rows, score_rows
from evaluation.core.runs.scores import ItemCost
from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.item_scores import ENDED, effective_scores

MAIN = {ANSWERS: ACCURACY, DIALOGUES: CONSISTENCY, RETRIEVAL: "mrr"}


def run_rows(run: EvaluationRun) -> list[Row]:
    """Return the rows of what has ended of a run; nothing in them tells when it was played, or what came from the cache."""
    plan = RunPlan.from_json(run.plan)
    scores = effective_scores([run.pk])
    rows = [*score_rows(scores, has_positions=plan.kind == DIALOGUES), *item_rows(costs_of(run))]
    return [
        *in_order(rows, plan.systems),
        *left_out_rows(plan.left_out, MAIN[plan.kind]),
        *memory_rows(run),
        *skipped_rows(plan),
    ]


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


def skipped_rows(plan: RunPlan) -> list[Row]:
    """Return a row for each reason by which questions are no part of the run."""
    return [Row("questions", "skipped", count, "questions", why=why) for why, count in plan.skipped]


def memory_rows(run: EvaluationRun) -> list[Row]:
    """Return a row of the rounds that could not be read into the memory that was asked."""
    found = run.cases.aggregate(failed=Sum("rounds_failed"), why=Min("failure", filter=~Q(failure="")))
    if not found["failed"]:
        return []
    return [Row("memory", "rounds_failed", found["failed"], "rounds", why=found["why"])]
