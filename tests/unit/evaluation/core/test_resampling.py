"""Intervals of means over clusters."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.intervals import bootstrap_interval, drawn_means


def test_the_same_observations_and_seed_give_the_same_interval() -> None:
    clusters = {str(case): [case / 40, (case * case % 7) / 7] for case in range(40)}
    assert bootstrap_interval(clusters, seed=3) == bootstrap_interval(clusters, seed=3)
    assert bootstrap_interval(clusters, seed=3) != bootstrap_interval(clusters, seed=4)


def test_two_clusters_have_their_means_as_the_ends() -> None:
    """Drawing two of {0, 1} gives 0, 1/2 or 1, in a quarter, a half and a quarter of the draws."""
    interval = bootstrap_interval({"a": [0.0] * 4, "b": [1.0] * 4})
    assert (interval.low, interval.high) == (0, 1)
    means = drawn_means([np.zeros(4), np.ones(4)], seed=0, draws=4000)
    shares = [float((means == value).mean()) for value in (0, 0.5, 1)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_larger_clusters_weigh_more_when_they_are_drawn() -> None:
    means = drawn_means([np.zeros(1), np.ones(9)], seed=0, draws=2000)
    assert sorted({round(float(mean), 2) for mean in means}) == [0.0, 0.9, 1.0]


def test_questions_of_one_conversation_make_a_wider_interval_than_as_many_of_their_own() -> None:
    alike = {str(case): [float(case % 2)] * 10 for case in range(6)}
    apart = {f"{case}-{question}": [float(case % 2)] for case in range(6) for question in range(10)}
    clustered, independent = bootstrap_interval(alike), bootstrap_interval(apart)
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)


def test_a_single_conversation_is_drawn_by_its_questions() -> None:
    interval = bootstrap_interval({"a": [0.0, 1.0] * 20})
    assert 0.3 < interval.low < 0.45
    assert 0.55 < interval.high < 0.7


def test_what_is_always_the_same_has_no_width() -> None:
    interval = bootstrap_interval({"a": [0.25, 0.25], "b": [0.25], "empty": []})
    assert (interval.low, interval.high) == (0.25, 0.25)


def test_no_observation_is_refused() -> None:
    with pytest.raises(ValueError, match="needs observations"):
        bootstrap_interval({"a": []})
