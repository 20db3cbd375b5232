"""What a reader found, compared with labels, and the threshold and temperature that follow from it."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.calibration import Threshold, best_threshold, fitted_temperature, log_odds
from evaluation.core.message_match import FactLabel, is_same_span, is_same_subject, right_facts, right_objects
from memory.core.types import ReadFact, Span, WordSpan


def words(text: str) -> WordSpan:
    return WordSpan(text, Span(0, len(text)))


def fact(value: str, probability: float = 0.9, subject: str = "", predicate: str = "livesIn") -> ReadFact:
    return ReadFact(words(subject) if subject else None, predicate, words(value), frozenset(), probability)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("the library", "library", True),
        ("Library", "líbrary!", True),
        ("a very old town", "town", False),
        ("12 March", "March", True),
        ("🙂", "🙂", True),
        ("🙂", "town", False),
    ],
)
def test_spans_are_the_same_where_half_of_the_longer_is_shared(one: str, other: str, is_same: bool) -> None:
    assert is_same_span(one, other) is is_same
    assert is_same_span(other, one) is is_same


def test_subjects_are_the_same_where_both_are_the_speaker_or_a_word_is_shared() -> None:
    assert is_same_subject("me", "me")
    assert is_same_subject("my sister", "Sister Maya")
    assert not is_same_subject("me", "my sister")
    assert not is_same_subject("my sister", "me")
    assert not is_same_subject("Bo", "Maya")


def test_label_is_chosen_once_by_the_surest_fact() -> None:
    labels = [FactLabel("me", "livesIn", "Paris"), FactLabel("my sister", "livesIn", "Rome")]
    read = [
        fact("Paris", 0.6),
        fact("old Paris", 0.8),
        fact("Rome", subject="sister"),
        fact("Rome"),
        fact("Paris", predicate="likes"),
    ]
    assert right_facts(labels, read) == [False, True, True, False, False]
    assert right_objects(labels, read) == [False, False, True, False, True]


def test_threshold_has_the_best_f1_and_lies_between_findings() -> None:
    found = best_threshold([0.9, 0.8, 0.6, 0.2], [True, True, False, True], wanted=4)
    assert found == Threshold(0.1, 3 / 4, 3 / 4, 6 / 8)
    assert best_threshold([0.9, 0.5], [True, False], wanted=1) == Threshold(0.7, 1.0, 1.0, 1.0)
    # Findings of one probability are taken together.
    assert best_threshold([0.5, 0.5, 0.4], [True, False, False], wanted=1) == Threshold(0.45, 0.5, 1.0, 2 / 3)
    with pytest.raises(ValueError, match="right"):
        best_threshold([0.5], [False], wanted=1)


def test_log_odds_are_two_labels_whose_temperature_can_be_fitted() -> None:
    assert log_odds([0.5, 0.75]) == pytest.approx(np.array([[0, 0], [0, np.log(3)]]))
    assert np.isfinite(log_odds([0.0, 1.0])).all()
    # Said with 0.9 and right three times in four: the odds of 9 are to be 3.
    temperature = fitted_temperature(log_odds([0.9] * 4), [1, 1, 1, 0])
    assert temperature == pytest.approx(2.0, abs=0.01)
