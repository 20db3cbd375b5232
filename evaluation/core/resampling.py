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


def bootstrap_interval(
    clusters: Mapping[str, Sequence[float]], *, seed: int = 0, draws: int = DRAWS, confidence: float = 0.95
) -> Interval:
    """Return the interval of the mean of all observations. The same observations and seed give the same interval.

    With a single cluster its observations are drawn, as if they were independent.
    """
    groups = [np.asarray(values, dtype=np.float64) for values in clusters.values() if len(values)]
    if not groups:
        raise ValueError("an interval needs observations, got none")
    if len(groups) == 1:
        groups = [groups[0][place : place + 1] for place in range(len(groups[0]))]
    means = drawn_means(groups, seed=seed, draws=draws)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def drawn_means(groups: Sequence[NDArray[np.float64]], *, seed: int, draws: int) -> NDArray[np.float64]:
    """Return the mean of the observations in each draw of as many clusters as there are, with replacement."""
    sums = np.array([group.sum() for group in groups])
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    even = np.full(len(groups), 1 / len(groups))
    times_drawn = np.random.default_rng(seed).multinomial(len(groups), even, size=draws)
    means: NDArray[np.float64] = (times_drawn @ sums) / (times_drawn @ sizes)
    return means
