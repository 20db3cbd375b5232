"""Calibration of probabilities: the expected calibration error, and the temperature that lowers it.

Guo et al., "On Calibration of Modern Neural Networks" (2017): section 2 for the error, with bins of equal width, and section
4.2 for temperature scaling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BINS = 15
COLDEST, HOTTEST = 0.05, 20.0
GOLDEN = (math.sqrt(5) - 1) / 2
STEPS = 60


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

    `logits` has the shape (pairs, labels). The negative log-likelihood is convex in 1 / T, so that a golden-section search
    over it finds the one minimum.
    """
    if not len(expected):
        raise ValueError("a temperature needs labelled outputs, got none")
    low, high = 1 / HOTTEST, 1 / COLDEST
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if negative_log_likelihood(logits * left, expected) <= negative_log_likelihood(logits * right, expected):
            high = right
        else:
            low = left
    return 2 / (low + high)


def negative_log_likelihood(logits: NDArray[np.float64], expected: Sequence[int]) -> float:
    """Return the mean negative log-probability of the expected labels."""
    raised = logits - logits.max(axis=1, keepdims=True)
    chosen = raised[np.arange(len(expected)), list(expected)]
    return float(np.mean(np.log(np.exp(raised).sum(axis=1)) - chosen))
