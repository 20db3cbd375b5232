"""The F1 of two lists of sentences, worked by hand."""

from __future__ import annotations

import pytest

from evaluation.core.proposition_match import split_f1


def test_same_sentences_in_any_order_are_perfect() -> None:
    assert split_f1(["He ran.", "He fell."], ["He fell.", "He ran."]) == 1
    assert split_f1([], []) == 1


def test_a_sentence_takes_one_other_only() -> None:
    assert split_f1(["He ran.", "He ran."], ["He ran."]) == pytest.approx(2 / 3)
    assert split_f1(["He ran and fell."], ["He ran.", "He fell."]) == pytest.approx(2 * (2 * 2 / 6) / 3)
    assert split_f1(["no"], ["He ran."]) == split_f1(["no"], []) == 0
