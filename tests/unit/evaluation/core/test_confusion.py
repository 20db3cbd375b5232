"""What is taken for what, worked by hand."""

from __future__ import annotations

import pytest

from evaluation.core.confusion import Confusion
from memory.core.types import EntailmentLabel

E, N, C = EntailmentLabel.ENTAILMENT, EntailmentLabel.NEUTRAL, EntailmentLabel.CONTRADICTION


def test_accuracy_and_f1_are_those_worked_by_hand() -> None:
    # Expected E: 3 (2 as E, 1 as N). Expected N: 2 (1 as N, 1 as C). Expected C: 1 (as E).
    confusion = Confusion.of([(E, E), (E, E), (E, N), (N, N), (N, C), (C, E)])
    assert (confusion.total, confusion.accuracy) == (6, pytest.approx(3 / 6))
    assert confusion.f1(E) == pytest.approx(2 * 2 / (3 + 3))
    assert confusion.f1(N) == pytest.approx(2 * 1 / (2 + 2))
    assert confusion.f1(C) == pytest.approx(0.0)
    assert confusion.macro_f1 == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_pair_without_a_prediction_counts_against_the_recall_of_its_label() -> None:
    confusion = Confusion.of([(E, E), (E, None)])
    assert confusion.accuracy == pytest.approx(1 / 2)
    assert confusion.f1(E) == pytest.approx(2 * 1 / (2 + 1))


def test_label_that_occurs_nowhere_is_left_out_of_the_mean() -> None:
    confusion = Confusion.of([(E, E), (N, N)])
    assert confusion.f1(C) is None
    assert confusion.macro_f1 == 1.0


def test_nothing_predicted_has_no_figures() -> None:
    with pytest.raises(ValueError, match="none"):
        _ = Confusion.of([]).accuracy
    with pytest.raises(ValueError, match="none"):
        _ = Confusion.of([]).macro_f1


def test_kappa_is_the_agreement_above_chance() -> None:
    # 20 of 25 and 10 of 25 said yes: agreement 35/50, by chance 0.5 (Cohen's worked example).
    yes_no = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert Confusion.of(yes_no).kappa == pytest.approx(0.4)
    assert Confusion.of([("yes", "no"), ("no", "yes")]).kappa == pytest.approx(-1)
    assert Confusion.of([("yes", "yes")]).kappa == 1
