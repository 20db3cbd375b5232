"""Precision and recall of refusing."""

from __future__ import annotations

import random

import pytest

from evaluation.core.abstention import abstention_rows
from evaluation.core.intervals import clustered_interval
from evaluation.core.report import Row


def test_refusing_is_right_where_nothing_is_known_and_nowhere_else() -> None:
    """Of 4 refusals 3 are of what cannot be answered, of which there are 5."""
    clusters = {
        "a": [(True, True), (True, True), (True, False), (False, False)],
        "b": [(True, True), (False, True), (False, True), (False, False)],
    }
    precision, recall = abstention_rows("graph", clusters)
    refused = clustered_interval({"a": [True, True, False], "b": [True]})
    unanswerable = clustered_interval({"a": [True, True], "b": [True, False, False]})
    assert precision == Row("graph", "abstention_precision", 0.75, "ratio", 4, refused.low, refused.high)
    assert recall == Row("graph", "abstention_recall", 0.6, "ratio", 5, unanswerable.low, unanswerable.high)


def test_without_refusals_or_unanswerable_questions_there_is_no_figure() -> None:
    assert abstention_rows("base", {"a": [(False, False)]}) == [
        Row("base", "abstention_precision", None, "ratio", 0, why="no reply refuses"),
        Row("base", "abstention_recall", None, "ratio", 0, why="every question can be answered"),
    ]


def test_it_is_precision_and_recall_by_their_definition_on_1000_random_pairs() -> None:
    chance = random.Random(3)
    pairs = [(chance.random() < 0.3, chance.random() < 0.2) for _ in range(1_000)]
    both = sum(refused and unknown for refused, unknown in pairs)
    precision, recall = abstention_rows("x", {"a": pairs[:400], "b": pairs[400:]})
    assert precision.value == pytest.approx(both / sum(refused for refused, _ in pairs), abs=1e-12)
    assert recall.value == pytest.approx(both / sum(unknown for _, unknown in pairs), abs=1e-12)
