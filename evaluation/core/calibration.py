"""Calibration of probabilities: the expected calibration error, the temperature that lowers it, and where to say yes.

Guo et al., "On Calibration of Modern Neural Networks" (2017): section 2 for the error, with bins of equal width, and section
4.2 for temperature scaling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BINS = 15
COLDEST, HOTTEST = 0.05, 20.0
# Probabilities are kept with four decimals; none is surer than that.
SUREST_NO = 0.00005


def calibration_error(confidences: Sequence[float], hits: Sequence[bool], *, bins: int = BINS) -> float:
    """Return the mean distance of confidence and accuracy over bins of confidence, weighted by their sizes.

    A bin holds the confidences over its lower bound and up to its upper one. Raises `ValueError` without predictions.
    """
    if not confidences:
        raise ValueError("a calibration error needs predictions, got none")
    gaps = [0.0] * bins
    for confidence, is_hit in zip(confidences, hits, strict=True):
        place = min(bins - 1, max(0, math.ceil(confidence * bins) - 1))
        gaps[place] += confidence - is_hit
    return sum(abs(gap) for gap in gaps) / len(confidences)


def fitted_temperature(logits: NDArray[np.float64], expected: Sequence[int]) -> float:
    """Return the temperature under which the expected labels are likeliest, between 0.05 and 20.

    `logits` has the shape (pairs, labels). The negative log-likelihood is convex in 1 / T and has one minimum.
    """
    from scipy.optimize import minimize_scalar

    if not len(expected):
        raise ValueError("a temperature needs labelled outputs, got none")
    found = minimize_scalar(
        lambda inverse: negative_log_likelihood(logits * inverse, expected),
        bounds=(1 / HOTTEST, 1 / COLDEST),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(1 / found.x)


def negative_log_likelihood(logits: NDArray[np.float64], expected: Sequence[int]) -> float:
    """Return the mean negative log-probability of the expected labels."""
    from scipy.special import logsumexp

    chosen = logits[np.arange(len(expected)), list(expected)]
    return float(np.mean(logsumexp(logits, axis=1) - chosen))


@dataclass(frozen=True)
class Threshold:
    """The least probability at which a finding is taken, with what was found so."""

    value: float
    precision: float
    recall: float
    f1: float


def best_threshold(probabilities: Sequence[float], hits: Sequence[bool], *, wanted: int) -> Threshold:
    """Return the threshold with the highest F1 of findings of which some are right; `wanted` could be found.

    It lies half-way between the last finding that is taken and the first that is not.
    """
    if not any(hits) or not wanted:
        raise ValueError("a threshold needs findings that are right")
    order = sorted(range(len(hits)), key=lambda place: -probabilities[place])
    best, right = None, 0
    for taken, place in enumerate(order, start=1):
        right += hits[place]
        following = probabilities[order[taken]] if taken < len(order) else 0.0
        if following == probabilities[place]:
            continue
        f1 = 2 * right / (taken + wanted)
        if best is None or f1 > best.f1:
            best = Threshold((probabilities[place] + following) / 2, right / taken, right / wanted, f1)
    assert best is not None, "the last finding is always tried"
    return best


def sure_threshold(probabilities: Sequence[float], hits: Sequence[bool], *, precision: float) -> float:
    """Return the least probability from which on at least that share of the findings is right; 1 where there is none."""
    order = sorted(zip(probabilities, hits, strict=True), reverse=True)
    least, right = 1.0, 0
    for taken, (probability, is_hit) in enumerate(order, start=1):
        right += is_hit
        is_last_of_equals = taken == len(order) or order[taken][0] < probability
        if is_last_of_equals and right / taken >= precision:
            least = probability
    return least


def most_right_threshold(
    probabilities: Sequence[float], hits: Sequence[bool], unanswerable: Sequence[bool], *, share: float
) -> float:
    """Return the probability from which to answer so that most questions are met rightly.

    A question is met rightly where its answer is given and a hit, or where it is unanswerable and none is given. The
    unanswerable ones are weighted as if `share` of all questions were such, whatever part of these they are.
    """
    others = len(unanswerable) - sum(unanswerable)
    weight = share / (1 - share) * others / max(1, sum(unanswerable))
    order = sorted(range(len(hits)), key=lambda place: -probabilities[place])
    best, met, threshold = 0.0, 0.0, 1.0
    for taken, place in enumerate(order, start=1):
        met += int(hits[place]) - weight * int(unanswerable[place])
        following = probabilities[order[taken]] if taken < len(order) else 0.0
        if met > best and following < probabilities[place]:
            best, threshold = met, (probabilities[place] + following) / 2
    return threshold


def cooled(logits: NDArray[np.float64], temperature: float) -> list[float]:
    """Return the probabilities of yes for the logits of `log_odds` under a temperature."""
    from scipy.special import expit

    return [float(value) for value in expit(logits[:, 1] / temperature)]


def log_odds(probabilities: Sequence[float]) -> NDArray[np.float64]:
    """Return the logits of yes-or-no probabilities as those of two labels, no and yes, for `fitted_temperature`."""
    from scipy.special import logit

    bounded = np.clip(np.asarray(probabilities, dtype=np.float64), SUREST_NO, 1 - SUREST_NO)
    return np.stack([np.zeros(len(bounded)), logit(bounded)], axis=1)
