"""Reads the figures of items as they count: the latest override in place of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evaluation.core.runs.metrics import COSTS, EffectiveScore, metric_of, scale_of
from evaluation.models import ItemScore, ItemState, RunItem, ScoreOverride

PLACE = ("run_id", "pk", "case__key", "key", "system", "repeat", "category", "position", "state")
ENDED = (ItemState.DONE, ItemState.FAILED)


def effective_scores(run_ids: Sequence[int], *, metric: str = "") -> list[EffectiveScore]:
    """Return every figure of the ended items of runs in their order, or one figure: a metric, or a cost by its column.

    Items that failed are there, and so are figures that could not be taken. Two queries.
    """
    if metric in COSTS:
        items = RunItem.objects.filter(run__in=run_ids, state__in=ENDED).order_by("run_id", "index")
        return [_effective(place, metric, value, "", None) for *place, value in items.values_list(*PLACE, metric)]
    ours = {"item__run__in": run_ids, "item__state__in": ENDED, **({"metric": metric} if metric else {})}
    place_of_item = [f"item__{name}" for name in PLACE]
    given = {
        (place[1], name): (place, name, value)
        for *place, name, value in ScoreOverride.objects.filter(**ours)
        .order_by("item_id", "metric", "-pk")
        .distinct("item_id", "metric")
        .values_list(*place_of_item, "metric", "value")
    }
    rows = ItemScore.objects.filter(**ours).order_by("item__run_id", "item__index", "pk")
    found = [
        _effective(place, name, value, why, given.pop((place[1], name), None))
        for *place, name, value, why in rows.values_list(*place_of_item, "metric", "value", "why")
    ]
    return found + list(_only_given(given.values()))


def _only_given(overrides: Iterable[tuple[list[Any], str, float | None]]) -> Iterable[EffectiveScore]:
    """Yield figures that nothing but a person gave."""
    for place, name, value in overrides:
        if value is not None:
            yield _effective(place, name, None, "", (place, name, value))


def _effective(
    place: Sequence[Any],
    metric: str,
    measured: float | None,
    why: str,
    given: tuple[Sequence[Any], str, float | None] | None,
) -> EffectiveScore:
    *where, state = place
    has_failed = state == ItemState.FAILED
    value, is_overridden = measured, given is not None and given[2] is not None
    if is_overridden and given is not None:
        value = given[2]
    elif has_failed:
        value = None if metric_of(metric).is_cost else float(scale_of(metric)[0])
    run, item, case, key, system, repeat, category, position = where
    return EffectiveScore(
        run,
        item,
        case,
        key,
        system,
        repeat,
        category,
        position,
        metric,
        value,
        measured,
        is_overridden,
        has_failed,
        why,
    )
