"""Intervals of ratios."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.intervals import clustered_interval, wilson_interval

CLUSTERS = st.dictionaries(st.text(max_size=3), st.lists(st.booleans(), min_size=1, max_size=6), min_size=1, max_size=8)


def test_wilson_interval_matches_the_worked_example() -> None:
    """Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662."""
    interval = wilson_interval(81 / 263, 263)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.2553, 0.3662)


def test_wilson_interval_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="observations"):
        wilson_interval(0.5, 0)
    with pytest.raises(ValueError, match="none"):
        clustered_interval({"a": []})


def test_clusters_of_one_are_independent() -> None:
    alone = clustered_interval({str(number): [number % 4 != 0] for number in range(40)})
    plain = wilson_interval(0.75, 40)
    assert alone.low == pytest.approx(plain.low, abs=0.01)
    assert alone.high == pytest.approx(plain.high, abs=0.01)


def test_questions_that_repeat_their_case_add_nothing() -> None:
    """Ten questions that are right or wrong together are worth one."""
    repeated = clustered_interval({str(number): [number % 2 == 0] * 10 for number in range(10)})
    single = clustered_interval({str(number): [number % 2 == 0] for number in range(10)})
    assert repeated.low == pytest.approx(single.low, abs=0.02)


def test_all_right_counts_cases_not_questions() -> None:
    assert clustered_interval({"a": [True] * 50, "b": [True] * 50}).low == pytest.approx(wilson_interval(1.0, 2).low)


@given(CLUSTERS)
def test_the_interval_holds_the_ratio_and_is_no_narrower_than_the_plain_one(clusters: dict[str, list[bool]]) -> None:
    values = [value for group in clusters.values() for value in group]
    ratio = sum(values) / len(values)
    interval = clustered_interval(clusters)
    plain = wilson_interval(ratio, len(values))
    assert 0 <= interval.low <= ratio + 1e-9
    assert ratio - 1e-9 <= interval.high <= 1
    assert interval.low <= plain.low + 1e-9
    assert interval.high >= plain.high - 1e-9
