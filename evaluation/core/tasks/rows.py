"""Rows of played tasks: the score that each benchmark has, and what the replies took.

Averaged performance, aptitude and unreliability of repeated tasks (Laban et al., 2025, section 6.1).

With scores S_i1 .. S_iN of task i, each of these is a mean over the tasks:

    P = mean(S_i)      A90 = percentile_90(S_i)      U90_10 = percentile_90(S_i) - percentile_10(S_i)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from evaluation.core.costs import cost_rows, percentile
from evaluation.core.interval_rows import grouped, mean_row, ratio_row
from evaluation.core.report import Row
from evaluation.core.tasks.attempts import attempts, is_label, solves
from evaluation.core.tasks.constraints import keeps
from evaluation.core.tasks.types import PlayedTask, Scoring

Scores = Mapping[str, Sequence[float]]
HIGH, LOW = 90, 10


def averaged_performance(scores: Scores) -> float:
    """Return P of the scores of each task."""
    return fmean(fmean(own) for own in scores.values())


def aptitude(scores: Scores) -> float:
    """Return A90: how well a task goes at its best."""
    return fmean(percentile(own, HIGH) for own in scores.values())


def unreliability(scores: Scores) -> float:
    """Return U90_10: how far the best of a task lies above its worst."""
    return fmean(percentile(own, HIGH) - percentile(own, LOW) for own in scores.values())


ONE_REPEAT = "every task was played once; --repeat 2 or more tells how far its scores differ"
NEEDS_A_JUDGE = "whether these replies pass takes a judge; they are written for one"


def task_rows(played: Sequence[PlayedTask], *, name_of: Callable[[PlayedTask], str]) -> list[Row]:
    """Return the rows of each responder: of each benchmark and mode its scores, then times, calls and failures."""
    rows: list[Row] = []
    for name, own in grouped(played, name_of).items():
        for group, inside in grouped(own, group_of).items():
            rows += SCORES[inside[0].task.scoring](name, inside, group)
            rows += cost(name, inside, group)
    return rows


def group_of(one: PlayedTask) -> str:
    """Return what a task's scores are put together by: the benchmark, and the mode or the kind of scoring."""
    return f"{one.benchmark} {one.task.mode or one.task.scoring}"


def number_rows(name: str, played: Sequence[PlayedTask], group: str) -> Iterator[Row]:
    """Yield averaged performance, aptitude and unreliability, and how often and how early answers are attempted."""
    scores: dict[str, list[float]] = {}
    last: dict[str, list[bool]] = {}
    attempted: dict[str, list[bool]] = {}
    early: dict[str, list[bool]] = {}
    for one in played:
        found = [] if one.error else attempts(one)
        numbers = [number for number in found if number is not None]
        scores.setdefault(one.task.id, []).append(float(solves(numbers, one.task.number)))
        last.setdefault(one.task.id, []).append(solves(numbers[-1:], one.task.number))
        attempted.setdefault(one.task.id, []).append(bool(numbers))
        early.setdefault(one.task.id, []).extend(number is not None for number in found[:-1])
    averaged = mean_row(name, "averaged_performance", scores, group=group)
    yield replace(averaged, value=averaged_performance(scores))
    yield from repeat_rows(name, scores, group)
    yield ratio_row(name, "last_attempt_exact", last, group=group)
    yield ratio_row(name, "attempted", attempted, group=group)
    if any(early.values()):
        yield ratio_row(name, "early_attempts", early, group=group)


def repeat_rows(name: str, scores: Scores, group: str) -> Iterator[Row]:
    figures = {"aptitude_90": aptitude, "unreliability_90_10": unreliability}
    is_repeated = all(len(own) > 1 for own in scores.values())
    for metric, figure in figures.items():
        value = figure(scores) if is_repeated else None
        yield Row(name, metric, value, "ratio", len(scores), group=group, why="" if is_repeated else ONE_REPEAT)


def label_rows(name: str, played: Sequence[PlayedTask], group: str) -> Iterator[Row]:
    yield from by_category(
        name,
        "class_accuracy",
        played,
        group,
        lambda one: [is_label(turn.reply, turn.label, labels=one.task.labels) for turn in one.replied],
    )


def constraint_rows(name: str, played: Sequence[PlayedTask], group: str) -> Iterator[Row]:
    def kept(one: PlayedTask) -> list[bool]:
        return [one.task.constraint is not None and keeps(turn.reply, one.task.constraint) for turn in one.replied]

    yield from by_category(name, "constraint_satisfaction", played, group, kept)


def judge_rows(name: str, played: Sequence[PlayedTask], group: str) -> Iterator[Row]:
    for category, own in {"": played, **grouped(played, lambda one: one.task.category)}.items():
        yield Row(name, "pass_rate", None, "ratio", len(own), group=f"{group} {category}".strip(), why=NEEDS_A_JUDGE)


def by_category(
    name: str, metric: str, played: Sequence[PlayedTask], group: str, of: Callable[[PlayedTask], list[bool]]
) -> Iterator[Row]:
    """Yield the share of replies that are so, of all and of each category; turns that a failure left out are not."""

    def are_so(one: PlayedTask) -> list[bool]:
        asked = sum(turn.given is None for turn in one.task.turns)
        so = [] if one.error else of(one)
        return so + [False] * (asked - len(so))

    for category, own in {"": played, **grouped(played, lambda one: one.task.category)}.items():
        clusters: dict[str, list[bool]] = {}
        for one in own:
            clusters.setdefault(one.task.id, []).extend(are_so(one))
        yield ratio_row(name, metric, clusters, group=f"{group} {category}".strip())


def cost(name: str, played: Sequence[PlayedTask], group: str) -> Iterator[Row]:
    """Yield the times of replies, and how many calls of a language model each reply and its upkeep took."""
    replied = [turn for one in played for turn in one.replied if turn.reply]
    if replied:
        yield from cost_rows(name, [turn.milliseconds for turn in replied], group=group, prefix="reply_")
        for metric in ("calls", "upkeep_calls"):
            mean = sum(getattr(turn, metric) for turn in replied) / len(replied)
            yield Row(name, f"{metric}_a_reply", mean, "calls", len(replied), group=group)
    failed = [one for one in played if one.error]
    if failed:
        yield Row(name, "failed", len(failed), "tasks", len(played), group=group, why=failed[0].error)


SCORES: dict[Scoring, Callable[[str, Sequence[PlayedTask], str], Iterator[Row]]] = {
    Scoring.NUMBER: number_rows,
    Scoring.LABEL: label_rows,
    Scoring.CONSTRAINT: constraint_rows,
    Scoring.JUDGE: judge_rows,
}
