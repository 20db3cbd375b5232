"""Paired differences against SciPy's and statsmodels' tests."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_effectsize

from evaluation.core.paired import holm, paired_difference


def test_effects_are_statsmodels_and_scipys() -> None:
    draw = np.random.default_rng(39)
    for _ in range(1_000):
        figures = draw.random((30, 2))
        t = stats.ttest_rel(figures[:, 1], figures[:, 0]).statistic
        means = paired_difference({"one": [tuple(two) for two in figures]}, draws=2)
        assert means.effect == pytest.approx(t / np.sqrt(30), abs=1e-9)
        marks = (figures > 0.5).astype(float)
        ratios = paired_difference({"one": [tuple(two) for two in marks]}, draws=2)
        theirs = proportion_effectsize(marks[:, 1].mean(), marks[:, 0].mean())
        assert ratios.effect == pytest.approx(theirs, abs=1e-9)


def test_the_interval_is_scipys_bootstrap() -> None:
    figures = np.random.default_rng(7).normal([0.5, 0.56], 0.2, size=(400, 2))
    ours = paired_difference({str(place): [tuple(two)] for place, two in enumerate(figures)}, draws=20_000)
    theirs = stats.bootstrap(
        (figures[:, 1] - figures[:, 0],), np.mean, n_resamples=20_000, method="percentile", random_state=1
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-3)


@pytest.mark.parametrize("shift", [0.0, 0.015, 0.03])
def test_the_bootstraps_p_value_is_near_students(shift: float) -> None:
    """With 400 items whose differences are normal, the two tests ask the same."""
    noise = np.random.default_rng(11).normal(0, 0.2, size=400)
    noise -= noise.mean()
    ours = paired_difference({str(place): [(0.0, shift + one)] for place, one in enumerate(noise)}, draws=20_000)
    assert ours.p_value == pytest.approx(stats.ttest_1samp(shift + noise, 0).pvalue, abs=0.015)


def test_holm_is_statsmodels() -> None:
    chance = random.Random(40)
    for _ in range(40):
        found = [chance.random() ** 4 for _ in range(chance.randrange(1, 12))]
        assert holm(found) == pytest.approx(list(multipletests(found, method="holm")[1]), abs=1e-12)
