"""Compares two systems on the same items: the mean difference, how surely it is one, and how large it is.

The interval is drawn by whole dialogues (`resampling`). The p-value of ratios is that of McNemar's exact test (McNemar, 1947)
over the items in which the two systems differ; that of means is drawn by the same bootstrap, shifted so that there is no
difference (Efron and Tibshirani, 1993, section 16.4). Effects are Cohen's (1988): h of two ratios, d_z of paired means.

McNemar's test counts items as if they were independent. Where the items of a dialogue succeed and fail together, its p-value
is too small, and the interval is what to go by. Of fewer than `FEWEST` dialogues the bootstrap draws little else than what it
was given, and would be sure of anything: there is neither an interval nor a p-value. No p-value is smaller than a test of the
signs of so many dialogues can give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.intervals import DRAWS, drawn_means, drawn_units

MCNEMAR = "exact McNemar"
BOOTSTRAP = "paired bootstrap"
CONFIDENCE = 0.95
# Of so many dialogues, or pairs of a single one, a test of signs can have a p-value below 0.05: 2 / 2^6.
FEWEST = 6
# Sums of the same numbers in another order differ by so much.
ROUNDING = 1e-12

Pairs = Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True)
class Difference:
    """The mean of candidate minus baseline, its interval, and the p-value of no difference by the named test.

    Interval and p-value are None of fewer than `FEWEST` dialogues, or pairs of a single one.
    `effect` is Cohen's h where the test is McNemar's, else d_z, which is None where all items differ equally.
    `n` are the items, `clusters` the dialogues that they are of.
    """

    value: float
    low: float | None
    high: float | None
    p_value: float | None
    test: str
    effect: float | None
    n: int
    clusters: int


def paired_difference(pairs: Pairs, *, seed: int = 0, draws: int = DRAWS) -> Difference:
    """Return how a candidate differs from a baseline; `pairs` are (baseline, candidate) by dialogue.

    The same pairs and seed give the same result. Items of a single dialogue are drawn as if they were independent.
    Raises `ValueError` where there are no pairs.
    """
    groups = [np.asarray(values, dtype=np.float64) for values in pairs.values() if len(values)]
    if not groups:
        raise ValueError("a difference needs pairs of values, got none")
    items = np.concatenate(groups)
    differences = [group[:, 1] - group[:, 0] for group in groups]
    value = float(np.concatenate(differences).mean())
    units = drawn_units(differences)
    means = drawn_means(units, seed=seed, draws=draws)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    effect: float | None
    if np.isin(items, (0.0, 1.0)).all():
        lost, won = int((items[:, 0] > items[:, 1]).sum()), int((items[:, 1] > items[:, 0]).sum())
        p_value, test, effect = mcnemar_p(lost, won), MCNEMAR, cohens_h(*items.mean(axis=0))
    else:
        p_value, test, effect = shifted_p(means, value), BOOTSTRAP, cohens_d_z(np.concatenate(differences))
    if len(units) < FEWEST:
        return Difference(value, None, None, None, test, effect, len(items), len(groups))
    p_value = max(p_value, 2 / 2 ** len(units))
    return Difference(value, float(low), float(high), p_value, test, effect, len(items), len(groups))


def mcnemar_p(lost: int, won: int) -> float:
    """Return the two-sided p-value of the items that only one of two systems has right: exact, by the binomial of 1/2."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(lost, won), lost + won, 0.5)))


def shifted_p(means: NDArray[np.float64], value: float) -> float:
    """Return the share of drawn means that lie as far from the observed one as it lies from 0, itself counted as one."""
    as_far = int((np.abs(means - value) >= abs(value) - ROUNDING).sum())
    return (as_far + 1) / (len(means) + 1)


def cohens_h(baseline: float, candidate: float) -> float:
    """Return the distance of two ratios on the scale where distances are told equally well: 0.2 is small, 0.8 large."""
    return 2 * (math.asin(math.sqrt(candidate)) - math.asin(math.sqrt(baseline)))


def cohens_d_z(differences: NDArray[np.float64]) -> float | None:
    """Return the mean difference in standard deviations of the differences; None where these do not vary."""
    if len(differences) < 2 or np.ptp(differences) <= ROUNDING:
        return None
    return float(differences.mean() / differences.std(ddof=1))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for their number (Holm, 1979), in order: below 0.05, no more than 5 % of such sets err.

    None is no test: it stays None and does not count.
    """
    tested = sorted((p_value, place) for place, p_value in enumerate(p_values) if p_value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p_value, place) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * p_value))
        adjusted[place] = highest
    return adjusted
