"""Writes a run out: its items as JSON lines and as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.run_items import ScoreShown, scores_shown, with_scores
from memory.core.csv_lines import csv_line

A_BATCH = 200
COLUMNS = (
    "case", "key", "system", "repeat", "position", "category", "state", "question", "expected", "reply", "error", "evidence",
    "found", "first_token_ms", "total_ms", "calls", "prompt_tokens", "completion_tokens", "is_cached",
)  # fmt: skip


def items_json_lines(run: EvaluationRun) -> Iterator[str]:
    """Yield the items in order, one JSON value a line, with passages, trace and every override."""
    for item in items(run):
        scores = {one.metric: score_content(one) for one in scores_shown(item)}
        yield (
            json.dumps(
                {**content(item), "passages": item.passages, "trace": item.trace, "scores": scores}, ensure_ascii=False
            )
            + "\n"
        )


def items_csv(run: EvaluationRun, metrics: list[str]) -> Iterator[str]:
    """Yield the items in order as lines of CSV: a column for each score as it counts, and who overrode it."""
    heads = [name for metric in metrics for name in (metric, f"{metric}_measured", f"{metric}_by", f"{metric}_comment")]
    yield csv_line([*COLUMNS, *heads])
    for item in items(run):
        scores = {one.metric: one for one in scores_shown(item)}
        told = content(item)
        yield csv_line(
            [
                *(told[name] if not isinstance(told[name], list) else json.dumps(told[name], ensure_ascii=False)
                  for name in COLUMNS),
                *(value for metric in metrics for value in cells(scores.get(metric))),
            ]
        )  # fmt: skip


def items(run: EvaluationRun) -> Iterator[RunItem]:
    rows = RunItem.objects.filter(run=run).select_related("case").defer("case__content").order_by("index")
    return with_scores(rows).iterator(chunk_size=A_BATCH)


def content(item: RunItem) -> dict[str, Any]:
    own = {name: getattr(item, name) for name in COLUMNS if name != "case"}
    return {"case": item.case.key, **own}


def score_content(score: ScoreShown) -> dict[str, Any]:
    overrides = [
        {
            "value": one.value,
            "comment": one.comment,
            "by": one.by.get_username() if one.by is not None else None,
            "at": one.created_at.isoformat(),
        }
        for one in score.history
    ]
    return {
        "value": score.value, "measured": score.measured, "why": score.why, "reason": score.reason, "overrides": overrides,
    }  # fmt: skip


def cells(score: ScoreShown | None) -> tuple[object, ...]:
    if score is None:
        return ("", "", "", "")
    given = score.given
    by = given.by.get_username() if given is not None and given.by is not None else ""
    return (score.value, score.measured, by, given.comment if given is not None else "")
