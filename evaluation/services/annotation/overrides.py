"""Puts what people settled into the runs that the items are from: as overrides of a reply's figures, each with its origin.

A reply gets the Dialogue Fact Score and NEIP of those of its facts that people settled, or the points that they gave it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.contrib.auth.models import User
from django.db import transaction

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.types import ProjectKind
from evaluation.core.errors import AnnotationRefused
from evaluation.core.reply_facts.types import figures_of
from evaluation.core.runs.metrics import FACT_SCORE, NEIP
from evaluation.models import AnnotationItem, AnnotationProject, ItemStanding, ItemState, RunItem, ScoreOverride
from evaluation.selectors.annotation.roles import role_required
from evaluation.selectors.runs import runs_of
from evaluation.services.annotation.audit import event_add
from evaluation.services.overrides import score_override

FINAL = (ItemStanding.AGREED, ItemStanding.SETTLED)
FACT_KIND = "fact_verdict"


@dataclass(frozen=True)
class PlannedOverride:
    """A figure of a reply as people have it, and `now`, what counts at present; `comment` says where it is from."""

    item: RunItem
    metric: str
    value: float
    now: float | None
    comment: str


def overrides_planned(project: AnnotationProject, *, by: User) -> list[PlannedOverride]:
    """Return the figures of runs that would change. Raises `AnnotationRefused` for a kind that gives none."""
    role_required(project.space_id, by, "curate")
    kind = kind_named(project.kind)
    if project.kind != FACT_KIND and not any(question.metric for question in kind.questions):
        raise AnnotationRefused(f"“{kind.title}” gives no figure of a run. There is nothing to put into one.")
    items = AnnotationItem.objects.filter(project=project, standing__in=FINAL, run_item__isnull=False)
    items = items.filter(gold__isnull=True, run_item__state=ItemState.DONE, run_item__run__in=runs_of(by).order_by())
    rows = items.select_related("run_item__run").defer("content", "run_item__trace", "run_item__passages")
    found = [
        planned
        for reply, own in groupby(rows.order_by("run_item__run_id", "run_item__index", "pk"), lambda one: one.run_item)
        for planned in figures_planned(project, kind, reply, list(own))
    ]
    counted = counting([one.item.pk for one in found])
    return [
        PlannedOverride(one.item, one.metric, one.value, counted.get((one.item.pk, one.metric)), one.comment)
        for one in found
        if counted.get((one.item.pk, one.metric)) != one.value
    ]


def figures_planned(
    project: AnnotationProject, kind: ProjectKind, reply: RunItem, items: list[AnnotationItem]
) -> Iterator[PlannedOverride]:
    """Yield the figures that people's answers about one reply give."""
    source = f"Review “{project.name}”"
    if project.kind == FACT_KIND:
        figures = figures_of(item.final["verdict"] for item in items if item.final is not None)
        source = f"{source}: {len(items)} of its facts"
        for metric, value in ((FACT_SCORE, figures.score), (NEIP, figures.not_enough)):
            if value is not None:
                yield PlannedOverride(reply, metric, value, None, f"{source}.")
        return
    final = items[-1].final or {}
    for question in kind.questions:
        label = question.label(final[question.name]) if question.metric else None
        if label is not None and label.value is not None:
            yield PlannedOverride(reply, question.metric, float(label.value), None, f"{source}: {label.title}.")


def counting(ids: list[int]) -> dict[tuple[int, str], float | None]:
    """Return the overrides that count at present."""
    rows = ScoreOverride.objects.filter(item__in=ids).order_by("item_id", "metric", "-pk").distinct("item_id", "metric")
    return {(item, metric): value for item, metric, value in rows.values_list("item_id", "metric", "value")}


@transaction.atomic
def overrides_apply(*, project: AnnotationProject, by: User) -> int:
    """Put what people settled into the runs, and return how many figures changed: none, a second time.

    Raises `AnnotationRefused`.
    """
    # Whoever asks at once finds done what this does.
    AnnotationProject.objects.select_for_update(no_key=True).get(pk=project.pk)
    planned = overrides_planned(project, by=by)
    for one in planned:
        made = score_override(item=one.item, metric=one.metric, value=one.value, comment=one.comment, by=by)
        event_add(
            space=project.space_id,
            project=project,
            by=by,
            what="override",
            about={"run": one.item.run_id, "item": one.item.pk, "metric": one.metric, "override": made.pk},
        )
    return len(planned)
