"""Rows of ratios and means with their intervals, where observations come in clusters such as cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

from evaluation.core.intervals import bootstrap_interval, clustered_interval
from evaluation.core.report import Row

ItemT = TypeVar("ItemT")


def grouped(items: Iterable[ItemT], key: Callable[[ItemT], str]) -> dict[str, list[ItemT]]:
    """Return the items of each key, in the order in which the keys first appear."""
    groups: dict[str, list[ItemT]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def ratio_row(
    name: str, metric: str, clusters: Mapping[str, Sequence[bool]], *, group: str = "", none: str = ""
) -> Row:
    """Return the share of the observations that hold, with Wilson's interval; no value, but `none`, without observations."""
    values = [value for cluster in clusters.values() for value in cluster]
    if not values:
        return Row(name, metric, None, unit="ratio", n=0, group=group, why=none)
    interval = clustered_interval(clusters)
    return Row(name, metric, sum(values) / len(values), "ratio", len(values), interval.low, interval.high, group)


def mean_row(
    name: str,
    metric: str,
    clusters: Mapping[str, Sequence[float]],
    *,
    unit: str = "ratio",
    group: str = "",
    none: str = "",
    seed: int = 0,
) -> Row:
    """Return the mean of the observations, with an interval for which whole clusters are drawn; `none` as in `ratio_row`."""
    values = [value for cluster in clusters.values() for value in cluster]
    if not values:
        return Row(name, metric, None, unit=unit, n=0, group=group, why=none)
    interval = bootstrap_interval(clusters, seed=seed)
    return Row(name, metric, fmean(values), unit, len(values), interval.low, interval.high, group)
