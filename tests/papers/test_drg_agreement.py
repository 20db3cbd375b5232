"""What section 4.2 of TG-DRG says of kappa: one class with 97 % of the data, a raw agreement of 0.96, and a kappa of 0.27."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.core.annotation.agreement import Comparison, agreement_of
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import Pattern, pattern_of, read_pattern

KIND = kind_named("human_evaluation")


def fluency(**times: int) -> Comparison:
    """Return the agreement of two people; `a2_b1=5` are five replies that one gave 2 points and the other 1."""
    counts: Counter[Pattern] = Counter()
    for said, count in times.items():
        people = {name: {"fluency": points} for name, points in said.split("_")}
        counts[read_pattern(pattern_of(KIND, people=people, machine=None, final=None))] += count
    found = agreement_of(KIND, counts)[1].people
    assert found is not None
    return found


def test_a_class_of_nearly_all_makes_kappa_low_and_is_warned_of():
    found = fluency(a2_b2=238, a2_b1=5, a1_b2=5, a1_b1=2)
    assert (found.items, found.raw.value) == (250, 0.96)
    assert found.kappa.value == pytest.approx(0.27, abs=0.01)
    assert found.dominant is not None
    assert (found.dominant.title, found.dominant.share) == ("Fluent", pytest.approx(0.97, abs=0.005))
    assert found.warning.startswith("97% of the labels are “Fluent”.")
    assert (found.kappa.low, found.kappa.high) == (pytest.approx(-0.03, abs=0.02), pytest.approx(0.53, abs=0.05))


def test_as_much_agreement_on_classes_of_one_size_is_a_high_kappa_without_a_warning():
    found = fluency(a2_b2=120, a2_b1=5, a1_b2=5, a1_b1=120)
    assert (found.raw.value, found.kappa.value) == (0.96, pytest.approx(0.92))
    assert found.warning == ""
