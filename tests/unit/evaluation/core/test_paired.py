"""Paired comparisons of two systems."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.paired import BOOTSTRAP, FEWEST, MCNEMAR, Difference, holm, mcnemar_p, paired_difference


def test_ratios_are_compared_by_mcnemar_and_cohens_h() -> None:
    """Of 10 items 4 are right in both, 1 only in the baseline, 5 only in the candidate: 2 (1 + 6) / 2^6."""
    pairs = {"a": [(1.0, 1.0)] * 4 + [(1.0, 0.0)] + [(0.0, 1.0)] * 5}
    found = paired_difference(pairs)
    assert (found.value, found.test, found.n, found.clusters) == (0.4, MCNEMAR, 10, 1)
    assert found.p_value == pytest.approx(14 / 64)
    assert found.effect == pytest.approx(2 * (np.arcsin(np.sqrt(0.9)) - np.arcsin(np.sqrt(0.5))))
    assert (found.low, found.high) == pytest.approx((0.0, 0.8))


def test_means_are_compared_by_the_paired_bootstrap_and_d_z() -> None:
    """Of six draws k are of the first kind, by the binomial of 1/2: their mean is 0.75 k / (6 + 2 k), and 0 once in 64."""
    pairs = {str(case): [(0.5, 0.75), (0.25, 0.75), (0.5, 0.5)] for case in range(3)}
    pairs |= {str(case): [(0.5, 0.5)] for case in range(3, 6)}
    found = paired_difference(pairs)
    assert (found.value, found.test, found.n, found.clusters) == (2.25 / 12, BOOTSTRAP, 12, 6)
    assert (found.low, found.high) == (0.75 / 8, 3.75 / 16)
    assert found.p_value == 2 / 64
    differences = [0.25, 0.5, 0.0] * 3 + [0.0] * 3
    assert found.effect == pytest.approx(np.mean(differences) / np.std(differences, ddof=1))


@pytest.mark.parametrize(("clusters", "each"), [(1, 1), (1, FEWEST - 1), (2, 50), (FEWEST - 1, 1)])
@pytest.mark.parametrize("two", [(0.0, 1.0), (0.25, 0.75)])
def test_too_few_dialogues_have_neither_interval_nor_p_value(
    clusters: int, each: int, two: tuple[float, float]
) -> None:
    found = paired_difference({str(case): [two] * each for case in range(clusters)})
    assert (found.value, found.low, found.high, found.p_value) == (two[1] - two[0], None, None, None)
    enough = paired_difference({str(case): [two] * each for case in range(FEWEST)})
    assert (enough.p_value, enough.low, enough.high) == (2 / 64, two[1] - two[0], two[1] - two[0])


def test_a_candidate_that_is_no_better_has_no_difference() -> None:
    pairs = {str(number): [(number / 7, number / 7)] for number in range(7)}
    assert paired_difference(pairs) == Difference(0.0, 0.0, 0.0, 1.0, BOOTSTRAP, None, 7, 7)
    alike = {str(number): [(1.0, 1.0)] for number in range(7)}
    assert paired_difference(alike) == Difference(0.0, 0.0, 0.0, 1.0, MCNEMAR, 0.0, 7, 7)


def test_which_of_the_two_is_the_baseline_turns_the_sign() -> None:
    random = np.random.default_rng(3)
    pairs = {str(case): [tuple(two) for two in random.random((4, 2))] for case in range(9)}
    there = paired_difference(pairs)
    back = paired_difference({case: [(second, first) for first, second in own] for case, own in pairs.items()})
    assert (back.value, back.low, back.high) == pytest.approx((-there.value, -there.high, -there.low))
    assert back.p_value == there.p_value
    assert back.effect == pytest.approx(-there.effect if there.effect is not None else None)


def test_a_difference_within_one_dialogue_is_less_sure_than_over_many() -> None:
    shift = np.random.default_rng(1).normal(0.1, 0.3, size=8)
    alike = {str(case): [(0.5, 0.5 + shift[case])] * 10 for case in range(8)}
    apart = {f"{case}-{place}": [(0.5, 0.5 + shift[case])] for case in range(8) for place in range(10)}
    assert paired_difference(alike).p_value > paired_difference(apart).p_value
    clustered, independent = paired_difference(alike), paired_difference(apart)
    assert clustered.high - clustered.low > 2 * (independent.high - independent.low)


def test_a_true_difference_is_found_and_a_false_one_hardly_ever() -> None:
    """Over 200 comparisons of equal systems, about one in 20 has a p-value below 0.05."""
    random = np.random.default_rng(0)
    found = 0
    for _ in range(200):
        noise = random.normal(0, 0.2, size=(60, 2))
        found += paired_difference({str(n): [(a, b)] for n, (a, b) in enumerate(noise)}, draws=400).p_value < 0.05
    assert 3 <= found <= 20
    apart = random.normal([0.4, 0.6], 0.2, size=(60, 2))
    assert paired_difference({str(n): [(a, b)] for n, (a, b) in enumerate(apart)}).p_value < 0.005


def test_the_same_pairs_and_seed_give_the_same_difference() -> None:
    random = np.random.default_rng(5)
    pairs = {str(case): [tuple(two) for two in random.random((3, 2))] for case in range(20)}
    assert paired_difference(pairs, seed=2) == paired_difference(pairs, seed=2)
    assert paired_difference(pairs, seed=2) != paired_difference(pairs, seed=3)


@pytest.mark.parametrize("pairs", [{}, {"a": []}])
def test_no_pair_is_refused(pairs: dict[str, list[tuple[float, float]]]) -> None:
    with pytest.raises(ValueError, match="needs pairs"):
        paired_difference(pairs)


@pytest.mark.parametrize("clusters", [1, 20, 1000])
def test_a_thousand_items_take_well_under_a_tenth_of_a_second(clusters: int) -> None:
    random = np.random.default_rng(0)
    pairs = {str(n): [tuple(two) for two in random.random((1000 // clusters, 2))] for n in range(clusters)}
    taken = []
    for _ in range(5):
        began = time.process_time()
        paired_difference(pairs)
        taken.append(time.process_time() - began)
    assert min(taken) < 0.08


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_symmetric_and_a_probability(lost: int, won: int) -> None:
    assert mcnemar_p(lost, won) == mcnemar_p(won, lost)
    assert 0 <= mcnemar_p(lost, won) <= 1
    if abs(lost - won) <= 1:
        assert mcnemar_p(lost, won) == 1


def test_mcnemar_of_very_many_items_is_no_overflow() -> None:
    assert mcnemar_p(4_000, 6_000) < 1e-80
    assert mcnemar_p(0, 20_000) == 0.0


def test_holm_multiplies_by_what_is_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]
    assert holm([None]) == [None]
