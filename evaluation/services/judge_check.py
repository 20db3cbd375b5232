"""Checks judges: against replies whose verdict is known, and against the figures that people gave in a run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from evaluation.adapters.progress import progress_bar
from evaluation.benchmarks.catalogue import AUTO, detect_format, read_cases
from evaluation.core.errors import EvaluationError, UnknownName
from evaluation.core.interval_rows import grouped
from evaluation.core.judging.altered import GoldAnswer, altered_replies
from evaluation.core.judging.check import BothFigures, CheckedReply, agreement_rows
from evaluation.core.judging.types import ReplyJudge, ReplyToJudge
from evaluation.core.report import Row
from evaluation.core.runs.items import question_items
from evaluation.models import EvaluationRun
from evaluation.selectors.item_scores import effective_scores

BATCH = 64
NO_GOLD = "{file} has no question with a short answer, of which replies could be made. Give a file such as LoCoMo's."


def judge_check(
    *,
    path: Path,
    judge: ReplyJudge,
    format: str = AUTO,
    questions: int | None = None,
    seed: int = 0,
    quiet: bool = False,
) -> list[CheckedReply]:
    """Return what a judge says of replies that are made of a file's gold answers, of `questions` of them by the seed.

    Wrong answers are those to any other question of the file. Raises `EvaluationError` where there is no gold answer.
    """
    golds = gold_answers(path, format=format)
    if not golds:
        raise EvaluationError(NO_GOLD.format(file=path.name))
    benchmark = detect_format(path) if format == AUTO else format
    drawn = {(one.case, one.key) for one in chosen(golds, questions, seed)}
    replies = [one for one in altered_replies(golds, seed=seed) if (one.gold.case, one.gold.key) in drawn]
    checked: list[CheckedReply] = []
    with progress_bar(len(replies), title=judge.name, unit="replies", hidden=quiet) as bar:
        for start in range(0, len(replies), BATCH):
            batch = replies[start : start + BATCH]
            asked = [
                ReplyToJudge(one.gold.question, one.gold.answers, one.reply, one.gold.category, benchmark)
                for one in batch
            ]
            checked += map(CheckedReply, batch, judge.judge_many(asked))
            bar.update(len(batch))
    return checked


def gold_answers(path: Path, *, format: str = AUTO) -> list[GoldAnswer]:
    """Return the questions of a file that have accepted answers or cannot be answered."""
    benchmark = detect_format(path) if format == AUTO else format
    return [
        GoldAnswer(case.id, item.key, item.category, item.question, item.expected)
        for case in read_cases(path, format=benchmark)
        for item in question_items(case, benchmark=benchmark)
        if item.expected is not None
    ]


def chosen(golds: Sequence[GoldAnswer], questions: int | None, seed: int) -> Sequence[GoldAnswer]:
    if questions is None or questions >= len(golds):
        return golds
    return random.Random(seed).sample(golds, questions)


def override_rows(run_id: int) -> list[Row]:
    """Return how the measured figures of a run agree with those that people gave, by metric. Raises `UnknownName`.

    Failed items have no measured figure and are left out.
    """
    run = EvaluationRun.objects.filter(pk=run_id).first()
    if run is None:
        raise UnknownName(f"There is no run {run_id}. Give --overrides the number of a run, as its page shows it.")
    given = [one for one in effective_scores([run.pk]) if one.is_overridden and not one.has_failed]
    name = run.judge or "rules"
    by_metric = grouped([one for one in given if one.measured is not None or one.why], lambda one: one.metric)
    rows: list[Row] = []
    for metric, own in by_metric.items():
        both = [BothFigures(one.case_key, one.measured, one.value) for one in own if one.value is not None]
        rows += agreement_rows(name, metric, both)
    return rows or agreement_rows(name, "", [])
