"""Confidence intervals of ratios.

Wilson (1927) for independent observations. Questions about one case are not independent: for them the number of
observations is divided by the design effect (Kish, 1965), as Korn and Graubard (1998) do, here with Wilson's interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from scipy.special import stdtrit


@dataclass(frozen=True)
class Interval:
    low: float
    high: float


def wilson_interval(ratio: float, count: float, *, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval of a ratio over `count` observations; `count` may be an effective sample size."""
    if count <= 0:
        raise ValueError(f"an interval needs observations, got {count}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    shrink = 1 + z * z / count
    centre = (ratio + z * z / (2 * count)) / shrink
    half = z * math.sqrt(ratio * (1 - ratio) / count + z * z / (4 * count * count)) / shrink
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


def clustered_interval(clusters: Mapping[str, Sequence[bool]], *, confidence: float = 0.95) -> Interval:
    """Return the interval of a ratio whose observations come in clusters.

    Where all observations are equal, the number of clusters counts instead of that of observations, since nothing tells how
    much an observation adds to its cluster. A single cluster gives the plain interval over its observations.
    """
    groups = [list(values) for values in clusters.values() if values]
    count = sum(len(values) for values in groups)
    if count == 0:
        raise ValueError("an interval needs observations, got none")
    ratio = sum(sum(values) for values in groups) / count
    return wilson_interval(ratio, effective_count(groups, ratio, count, confidence), confidence=confidence)


def effective_count(groups: Sequence[Sequence[bool]], ratio: float, count: int, confidence: float) -> float:
    """Return the effective sample size of clustered observations, at most `count`.

    It is `count` divided by the design effect and by (t / z) squared, with one degree of freedom less than there are
    clusters, since a variance estimated from few clusters is uncertain.
    """
    if len(groups) == 1:
        return count
    if ratio in (0.0, 1.0):
        return len(groups)
    residuals = sum((sum(values) - ratio * len(values)) ** 2 for values in groups)
    clustered_variance = len(groups) / (len(groups) - 1) * residuals / count**2
    independent_variance = ratio * (1 - ratio) / count
    rank = 0.5 + confidence / 2
    uncertainty = (stdtrit(len(groups) - 1, rank) / NormalDist().inv_cdf(rank)) ** 2
    return count / max(1.0, clustered_variance / independent_variance * uncertainty)
