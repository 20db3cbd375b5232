"""Averaged performance, aptitude and unreliability of repeated tasks (Laban et al., 2025, section 6.1).

With scores S_i1 .. S_iN of task i, each of these is a mean over the tasks:

    P = mean(S_i)      A90 = percentile_90(S_i)      U90_10 = percentile_90(S_i) - percentile_10(S_i)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from evaluation.core.costs import percentile

Scores = Mapping[str, Sequence[float]]
HIGH, LOW = 90, 10


def averaged_performance(scores: Scores) -> float:
    """Return P of the scores of each task."""
    return fmean(fmean(own) for own in scores.values())


def aptitude(scores: Scores) -> float:
    """Return A90: how well a task goes at its best."""
    return fmean(percentile(own, HIGH) for own in scores.values())


def unreliability(scores: Scores) -> float:
    """Return U90_10: how far the best of a task lies above its worst."""
    return fmean(percentile(own, HIGH) - percentile(own, LOW) for own in scores.values())
