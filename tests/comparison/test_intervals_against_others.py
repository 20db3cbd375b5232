"""Our intervals against independent implementations."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.costs import percentile
from evaluation.core.intervals import clustered_interval, wilson_interval

COUNTS = [(0, 1), (1, 1), (3, 10), (81, 263), (92, 100), (927, 927), (1, 5000)]


@pytest.mark.parametrize(("right", "count"), COUNTS)
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_wilson_interval_equals_scipys(right: int, count: int, confidence: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.binomtest(right, count).proportion_ci(confidence, method="wilson")
    ours = wilson_interval(right / count, count, confidence=confidence)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(("right", "count"), COUNTS)
def test_wilson_interval_equals_statsmodels(right: int, count: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    theirs = proportion.proportion_confint(right, count, method="wilson")
    ours = wilson_interval(right / count, count)
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_clustered_interval_is_as_wide_as_the_bootstrap_over_cases(seed: int) -> None:
    """Cases of 10 questions whose own rates differ: resampling whole cases gives the same width within a fifth."""
    random = np.random.default_rng(seed)
    rates = random.beta(4, 2, size=120)
    clusters = {str(number): list(random.random(10) < rate) for number, rate in enumerate(rates)}
    means = np.array([np.mean(values) for values in clusters.values()])
    resampled = means[random.integers(0, len(means), size=(4000, len(means)))].mean(axis=1)
    low, high = np.percentile(resampled, [2.5, 97.5])
    ours = clustered_interval(clusters)
    assert ours.high - ours.low == pytest.approx(high - low, rel=0.2)


@pytest.mark.parametrize("cases", [5, 40])
def test_clustered_interval_covers_the_true_rate(cases: int) -> None:
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(1500):
        rates = random.beta(4, 2, size=cases)
        interval = clustered_interval({str(n): list(random.random(5) < rate) for n, rate in enumerate(rates)})
        covered += interval.low <= 4 / 6 <= interval.high
    assert 0.93 <= covered / 1500 <= 0.99


def test_percentile_equals_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = list(np.random.default_rng(0).random(101))
    assert percentile(values, 95) == pytest.approx(stats.scoreatpercentile(values, 95))
