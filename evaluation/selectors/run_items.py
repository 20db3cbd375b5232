"""Reads the items of runs: a page of them by what is asked for, and one with those that stand beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from evaluation.core.runs.compared import ComparedItem
from evaluation.core.runs.metrics import metric_of, scale_of
from evaluation.models import EvaluationRun, ItemScore, ItemState, RunItem, ScoreOverride
from evaluation.selectors.runs import runs_of

PAGE = 30
# What a list of items does not show.
HEAVY = ("passages", "trace", "case__content")


class Standing(StrEnum):
    """Which items of a run: by one score of theirs, or by what became of them."""

    RIGHT = "right"
    WRONG = "wrong"
    FAILED = "failed"
    UNSCORED = "unscored"
    OVERRIDDEN = "overridden"
    WAITING = "waiting"


@dataclass(frozen=True)
class ItemsAsked:
    """`metric` is the score by which an item is right (from the middle of its scale on) or wrong."""

    metric: str
    system: str = ""
    category: str | None = None
    standing: Standing | None = None
    text: str = ""


def items_of(user: User) -> QuerySet[RunItem]:
    """Return the items of the runs of a user's spaces."""
    return RunItem.objects.filter(run__in=runs_of(user).order_by()).select_related("run__space", "case")


def items_page(run: EvaluationRun, asked: ItemsAsked, *, after: int = -1) -> tuple[list[RunItem], int | None]:
    """Return the items with an index above `after`, with their scores, and the index after which the next page begins."""
    items = RunItem.objects.filter(run=run, index__gt=after).select_related("case").defer(*HEAVY)
    found = list(with_scores(asked_for(items, asked)).order_by("index")[: PAGE + 1])
    return found[:PAGE], found[PAGE - 1].index if len(found) > PAGE else None


def asked_for(items: QuerySet[RunItem], asked: ItemsAsked) -> QuerySet[RunItem]:
    if asked.system:
        items = items.filter(system=asked.system)
    if asked.category is not None:
        items = items.filter(category=asked.category)
    if asked.text:
        items = items.filter(Q(question__icontains=asked.text) | Q(reply__icontains=asked.text))
    match asked.standing:
        case Standing.RIGHT:
            return with_value(items, asked.metric).filter(counted__gte=right_from(asked.metric))
        case Standing.WRONG:
            return with_value(items, asked.metric).filter(state=ItemState.DONE, counted__lt=right_from(asked.metric))
        case Standing.FAILED | Standing.WAITING as state:
            return items.filter(state=state.value)
        case Standing.UNSCORED:
            return items.filter(Exists(lacking()), state=ItemState.DONE)
        case Standing.OVERRIDDEN:
            return items.filter(Exists(latest_overrides().filter(item=OuterRef("pk"), value__isnull=False)))
        case _:
            return items


def right_from(metric: str) -> float:
    """Return the score from which on an item is right: the middle of the scale."""
    return sum(scale_of(metric)) / 2


def with_value(items: QuerySet[RunItem], metric: str) -> QuerySet[Any]:
    """Add the score that counts: a person's in place of a measured one."""
    given = ScoreOverride.objects.filter(item=OuterRef("pk"), metric=metric).order_by("-pk").values("value")[:1]
    measured = ItemScore.objects.filter(item=OuterRef("pk"), metric=metric).values("value")[:1]
    return items.annotate(counted=Coalesce(Subquery(given), Subquery(measured)))


def lacking() -> QuerySet[ItemScore]:
    """Return the scores that could not be taken and that nobody has given since."""
    given = latest_overrides().filter(item=OuterRef("item"), metric=OuterRef("metric"), value__isnull=False)
    return ItemScore.objects.filter(~Exists(given), item=OuterRef("pk"), value=None)


def overridden_count(run: EvaluationRun) -> int:
    """Return how many scores of a run are a person's."""
    return latest_overrides().filter(item__run=run, value__isnull=False).count()


def latest_overrides() -> QuerySet[ScoreOverride]:
    later = ScoreOverride.objects.filter(item=OuterRef("item"), metric=OuterRef("metric"), pk__gt=OuterRef("pk"))
    return ScoreOverride.objects.filter(~Exists(later))


def with_scores(items: QuerySet[RunItem]) -> QuerySet[RunItem]:
    """Add the scores, and the overrides with who gave them, the latest first."""
    return items.prefetch_related(
        Prefetch("scores", ItemScore.objects.order_by("pk")),
        Prefetch("overrides", ScoreOverride.objects.select_related("by").order_by("-pk")),
    )


def beside(item: RunItem, runs: Collection[int]) -> Sequence[RunItem]:
    """Return the item as all systems of its run and of other runs had it, its own run first."""
    same = RunItem.objects.filter(
        run__in={item.run_id, *runs}, case__key=item.case.key, key=item.key, repeat=item.repeat
    )
    found = with_scores(same.select_related("run").defer("trace")).order_by("run_id", "index")
    return sorted(found, key=lambda one: (one.run_id != item.run_id, one.run_id, one.index))


def items_named(compared: Sequence[ComparedItem]) -> list[tuple[ComparedItem, list[RunItem | None]]]:
    """Return compared items with their rows, a row for each side, in one query."""
    ids = {number for one in compared for number in one.items if number is not None}
    rows = RunItem.objects.select_related("case").defer(*HEAVY).in_bulk(ids)
    return [(one, [rows.get(number) if number is not None else None for number in one.items]) for one in compared]


def neighbours(item: RunItem) -> tuple[int | None, int | None]:
    """Return the ids of the items of the same system before and after one."""
    same = RunItem.objects.filter(run=item.run_id, system=item.system)
    before = same.filter(index__lt=item.index).order_by("-index").values_list("pk", flat=True).first()
    after = same.filter(index__gt=item.index).order_by("index").values_list("pk", flat=True).first()
    return before, after


def categories_of(run: EvaluationRun) -> list[str]:
    return sorted(RunItem.objects.filter(run=run).order_by().values_list("category", flat=True).distinct())


@dataclass(frozen=True)
class ScoreShown:
    """A figure of an item as it counts. `given` is the override that counts, `history` all of them, the latest first."""

    metric: str
    value: float | None
    measured: float | None
    why: str
    reason: str
    given: ScoreOverride | None
    history: Sequence[ScoreOverride]


def scores_shown(item: RunItem) -> list[ScoreShown]:
    """Return the figures of an item that was read `with_scores`; as in `effective_scores`, a failed item's quality is 0."""
    history: dict[str, list[ScoreOverride]] = {}
    for override in item.overrides.all():
        history.setdefault(override.metric, []).append(override)
    rows = {score.metric: score for score in item.scores.all()}
    return [
        shown(item, metric, rows.get(metric), history.get(metric, [])) for metric in dict.fromkeys([*rows, *history])
    ]


def shown(item: RunItem, metric: str, row: ItemScore | None, history: Sequence[ScoreOverride]) -> ScoreShown:
    measured = row.value if row is not None else None
    given = history[0] if history and history[0].value is not None else None
    counted = measured
    if item.state == ItemState.FAILED:
        counted = None if metric_of(metric).is_cost else 0.0
    return ScoreShown(
        metric=metric,
        value=given.value if given is not None else counted,
        measured=measured,
        why=row.why if row is not None else "",
        reason=row.reason if row is not None else "",
        given=given,
        history=history,
    )
