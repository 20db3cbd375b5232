"""Statistics of repeated work: percentiles, whether the cost grows, their rows; and whether events were delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.report import Row


def percentile(values: Sequence[float], rank: float) -> float:
    """Return the value below which `rank` percent of the values lie, interpolated."""
    if not values:
        raise ValueError("a percentile needs values, got none")
    return float(np.percentile(values, rank))


def first_decile_mean(values: Sequence[float]) -> float:
    """Return the mean of the first tenth of the values, in the given order (at least one value)."""
    return float(np.mean(values[: max(1, len(values) // 10)]))


def last_decile_mean(values: Sequence[float]) -> float:
    return float(np.mean(values[-max(1, len(values) // 10) :]))


def cost_rows(name: str, values_ms: Sequence[float], *, group: str = "", prefix: str = "") -> list[Row]:
    """Return median and 95th percentile of measured times as `p50_ms` and `p95_ms` with a prefix."""
    return [
        Row(name, f"{prefix}p{rank}_ms", percentile(values_ms, rank), unit="ms", n=len(values_ms), group=group)
        for rank in (50, 95)
    ]


@dataclass(frozen=True)
class Delivery:
    """The errors in the events of one reply: numbers that were missing, repeated, or late."""

    lost: int
    repeated: int
    reordered: int


def delivery_of(received: Sequence[int], *, last: int) -> Delivery:
    """Compare the numbers in the order of arrival with 1 to `last`, the events sent."""
    seen: set[int] = set()
    repeated = reordered = 0
    highest = 0
    for number in received:
        if number in seen:
            repeated += 1
        elif number < highest:
            reordered += 1
        seen.add(number)
        highest = max(highest, number)
    return Delivery(lost=len(set(range(1, last + 1)) - seen), repeated=repeated, reordered=reordered)
