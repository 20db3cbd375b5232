"""Bootstrap intervals of means whose observations come in clusters.

Questions about one conversation are alike, so whole conversations are drawn, with all their questions (the cluster
bootstrap: Field and Welsh, 2007), and the interval lies between the percentiles of the drawn means (Efron and Tibshirani,
1993, section 13.3). A difference of two retrievers is drawn by its questions' own differences: the comparison is paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.core.intervals import Interval

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
