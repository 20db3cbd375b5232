"""Calibration, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.calibration import (
    calibration_error,
    fitted_temperature,
    most_right_threshold,
    negative_log_likelihood,
    sure_threshold,
)


def test_error_is_the_weighted_distance_of_confidence_and_accuracy_by_bin() -> None:
    # Two bins. Lower: confidences 0.4 and 0.5, one hit: |0.45 - 0.5|. Upper: 0.8, 0.9 and 1.0, one hit: |0.9 - 1/3|.
    error = calibration_error([0.4, 0.5, 0.8, 0.9, 1.0], [True, False, True, False, False], bins=2)
    assert error == pytest.approx(2 / 5 * 0.05 + 3 / 5 * (0.9 - 1 / 3))


def test_bound_of_two_bins_belongs_to_the_lower_one() -> None:
    # 0.5 falls to the lower bin, where it makes up for 0.3: (0.5 - 1) + (0.3 - 0) = -0.2, over two pairs.
    assert calibration_error([0.5, 0.3], [True, False], bins=2) == pytest.approx(0.1)
    assert calibration_error([0.0, 1.0], [False, True], bins=2) == 0.0


def test_nothing_predicted_has_no_error() -> None:
    with pytest.raises(ValueError, match="none"):
        calibration_error([], [])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_error_is_a_ratio_and_at_least_the_overall_gap(pairs: list[tuple[float, bool]]) -> None:
    confidences, hits = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    error = calibration_error(confidences, hits)
    gap = abs(sum(confidences) - sum(hits)) / len(pairs)
    assert gap - 1e-9 <= error <= 1


def test_likelihood_is_that_of_the_softmax() -> None:
    logits = np.array([[0.0, math.log(3)], [1_000.0, 0.0]])
    assert negative_log_likelihood(logits, [1, 0]) == pytest.approx(-math.log(3 / 4) / 2)


def test_temperature_makes_the_confidence_the_accuracy() -> None:
    # Four pairs at odds of e^6 to 1, three of which are right: calibrated are odds of 3 to 1, so T = 6 / ln 3.
    logits = np.array([[6.0, 0.0]] * 4)
    assert fitted_temperature(logits, [0, 0, 0, 1]) == pytest.approx(6 / math.log(3), rel=1e-4)


@pytest.mark.parametrize("factor", [0.5, 4.0])
def test_temperature_undoes_a_factor(factor: float) -> None:
    random = np.random.default_rng(0)
    logits = random.normal(0, 2, (4_000, 3))
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = [int(random.choice(3, p=row)) for row in shares]
    fitted = fitted_temperature(logits, labels)
    assert fitted == pytest.approx(1.0, abs=0.1)
    assert fitted_temperature(logits * factor, labels) == pytest.approx(fitted * factor, rel=1e-3)


@pytest.mark.parametrize(
    ("precision", "threshold"),
    [(1.0, 0.9), (0.75, 0.9), (0.6, 0.6), (0.5, 0.5), (0.1, 0.2)],
)
def test_sure_threshold_is_the_least_from_which_enough_is_right(precision: float, threshold: float) -> None:
    probabilities, hits = [0.2, 0.9, 0.7, 0.5, 0.6], [False, True, False, False, True]
    assert sure_threshold(probabilities, hits, precision=precision) == threshold


def test_sure_threshold_takes_equals_together_and_is_one_where_nothing_is_sure() -> None:
    assert sure_threshold([0.9, 0.9], [True, False], precision=0.9) == 1.0
    assert sure_threshold([], [], precision=0.9) == 1.0


def test_temperature_stays_between_its_bounds() -> None:
    assert fitted_temperature(np.array([[1.0, 0.0]]), [0]) == pytest.approx(0.05, rel=1e-3)
    assert fitted_temperature(np.array([[1.0, 0.0]]), [1]) == pytest.approx(20.0, rel=1e-3)
    with pytest.raises(ValueError, match="none"):
        fitted_temperature(np.zeros((0, 3)), [])


def test_answers_are_given_from_where_most_questions_are_met() -> None:
    # Right, an unanswerable one, wrong, right, unanswerable: given from 0.9 on, the right one and both refusals are met.
    probabilities, hits, unanswerable = (
        [0.9, 0.7, 0.5, 0.4, 0.2],
        [True, False, False, True, False],
        [False, True, False, False, True],
    )
    assert most_right_threshold(probabilities, hits, unanswerable, share=0.4) == pytest.approx(0.8)
    assert most_right_threshold([0.9, 0.7], [True, True], [False, False], share=0.4) == pytest.approx(0.35)
    assert most_right_threshold([0.9, 0.7], [False, False], [True, True], share=0.4) == 1.0
    assert most_right_threshold([], [], [], share=0.4) == 1.0


def test_more_is_answered_where_fewer_questions_are_unanswerable() -> None:
    probabilities, hits, unanswerable = [0.9, 0.7, 0.4], [True, False, True], [False, True, False]
    assert most_right_threshold(probabilities, hits, unanswerable, share=0.6) == pytest.approx(0.8)
    assert most_right_threshold(probabilities, hits, unanswerable, share=0.1) == pytest.approx(0.2)
