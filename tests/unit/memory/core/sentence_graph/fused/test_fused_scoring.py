"""How searches are added up, worked by hand."""

from __future__ import annotations

import pytest

from memory.core.sentence_graph.fused.retriever import (
    best_by_owner,
    by_meaning,
    by_words,
    of_best_turns,
    ranked,
    spread,
    weighted_sum,
)
from memory.core.types import ScoredUnit, Unit


def units(*scores: float) -> list[ScoredUnit]:
    return [ScoredUnit(Unit.TURN, number, score) for number, score in enumerate(scores, start=1)]


def test_meaning_is_measured_above_the_last_one_found() -> None:
    assert by_meaning(units(0.8, 0.6, 0.4), least=0.2) == pytest.approx({1: 1.0, 2: 0.5, 3: 0.0})


def test_what_is_about_something_else_is_left_out_and_still_sets_the_scale() -> None:
    assert by_meaning(units(0.8, 0.45, 0.1), least=0.2) == pytest.approx({1: 1.0, 2: 0.5})
    assert by_meaning(units(0.1, 0.0), least=0.2) == {}


def test_units_that_are_all_alike_all_count() -> None:
    assert by_meaning(units(0.7, 0.7), least=0.2) == {1: 1.0, 2: 1.0}
    assert by_meaning([], least=0.2) == {}


def test_words_are_shares_of_the_best() -> None:
    assert by_words(units(8.0, 2.0)) == {1: 1.0, 2: 0.25}
    assert by_words([]) == {}


def test_an_owner_has_its_best_unit() -> None:
    assert best_by_owner({1: 0.2, 2: 0.9, 3: 0.5}, {1: 10, 2: 10, 4: 11}) == {10: 0.9}


def test_parts_are_added_by_weight() -> None:
    assert weighted_sum([(2.0, {1: 0.5}), (1.0, {1: 1.0, 2: 0.5}), (0.0, {3: 1.0})]) == {1: 2.0, 2: 0.5, 3: 0.0}


def test_ties_go_to_the_lower_id() -> None:
    assert ranked({3: 1.0, 1: 1.0, 2: 2.0}) == [2, 1, 3]


def test_a_session_counts_by_its_best_turns() -> None:
    assert of_best_turns([1.0, 4.0, 2.0], turns=2) == pytest.approx((4 + 2 / 2) / 1.5)
    assert of_best_turns([3.0], turns=1) == 3
    assert of_best_turns([3.0], turns=2) == 2


def test_turns_of_one_session_give_way() -> None:
    scores, sessions = {1: 1.0, 2: 0.95, 3: 0.9, 4: 0.5}, {1: 1, 2: 1, 3: 2, 4: 2}
    assert spread(scores, sessions, penalty=0.0, limit=3) == [1, 2, 3]
    assert spread(scores, sessions, penalty=0.1, limit=3) == [1, 3, 2]
    assert spread(scores, sessions, penalty=0.1, limit=9) == [1, 3, 2, 4]
