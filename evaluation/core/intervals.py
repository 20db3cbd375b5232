"""Confidence intervals of ratios.

Wilson (1927) for independent observations. Questions about one case are not independent: for them the number of
observations is divided by the design effect (Kish, 1965), as Korn and Graubard (1998) do, here with Wilson's interval.

Bootstrap intervals of means whose observations come in clusters.

Questions about one conversation are alike, so whole conversations are drawn, with all their questions (the cluster
bootstrap: Field and Welsh, 2007), and the interval lies between the percentiles of the drawn means (Efron and Tibshirani,
1993, section 13.3). A difference of two retrievers is drawn by its questions' own differences: the comparison is paired.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


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
    # Loaded when it is needed: no command but those that measure waits for it.
    from scipy.special import stdtrit

    uncertainty = (stdtrit(len(groups) - 1, rank) / NormalDist().inv_cdf(rank)) ** 2
    return count / max(1.0, clustered_variance / independent_variance * uncertainty)


DRAWS = 2_000
# Draws are made so many at a time: what they take fits the processor's cache.
BLOCK = 100


def bootstrap_interval(
    clusters: Mapping[str, Sequence[float]], *, seed: int = 0, draws: int = DRAWS, confidence: float = 0.95
) -> Interval:
    """Return the interval of the mean of all observations. The same observations and seed give the same interval.

    With a single cluster its observations are drawn, as if they were independent.
    """
    groups = [np.asarray(values, dtype=np.float64) for values in clusters.values() if len(values)]
    if not groups:
        raise ValueError("an interval needs observations, got none")
    means = drawn_means(drawn_units(groups), seed=seed, draws=draws)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def drawn_units(groups: Sequence[NDArray[np.float64]]) -> Sequence[NDArray[np.float64]]:
    """Return what is drawn: the clusters, or the observations of a single one."""
    return np.split(groups[0], len(groups[0])) if len(groups) == 1 else groups


def drawn_means(groups: Sequence[NDArray[np.float64]], *, seed: int, draws: int) -> NDArray[np.float64]:
    """Return the mean of the observations in each draw of as many clusters as there are, with replacement."""
    sums = np.array([group.sum() for group in groups])
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    random = np.random.default_rng(seed)
    means = np.empty(draws)
    for start in range(0, draws, BLOCK):
        shape = (min(BLOCK, draws - start), len(groups))
        drawn = random.integers(len(groups), size=shape, dtype=np.int32)
        means[start : start + BLOCK] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means
