"""Statistics of repeated work: percentiles, and whether the cost grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
