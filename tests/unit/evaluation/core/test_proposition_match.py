"""Facts matched with propositions, worked by hand."""

from __future__ import annotations

import random

import pytest

from evaluation.core.proposition_match import Proposition, PropositionScores, pair_scores, proposition_scores

FOUND = Proposition("found", ("Mr. Baker", "an opening", "under the house"))
LED = Proposition("led to", ("an opening", "a coal mine"))


def test_shared_words_are_shares_of_the_fact_and_of_the_proposition() -> None:
    fact = "Mr. Baker found an opening in the wall."
    assert pair_scores(fact, FOUND) == pytest.approx((6 / 8, 6 / 8)), "mr baker found an opening the"
    assert pair_scores("Baker found it.", FOUND) == pytest.approx((2 / 3, 2 / 8))


def test_word_that_comes_twice_is_shared_as_often_as_both_have_it() -> None:
    assert pair_scores("An opening led to an opening.", LED) == pytest.approx((4 / 6, 4 / 7))


def test_fact_without_a_word_of_the_relation_does_not_match() -> None:
    assert pair_scores("An opening, a coal mine.", LED) == (0, 0)
    assert pair_scores("", LED) == (0, 0)


def test_case_marks_and_forms_of_be_do_not_matter() -> None:
    told = Proposition("is", ("Bush", "`` president ''"))
    assert pair_scores("BUSH was President!", told) == (1, 1)


def test_each_proposition_counts_by_the_fact_that_has_most_of_it_and_each_fact_once() -> None:
    one = "Mr. Baker found an opening under the house that led to a coal mine."
    whole, part = pair_scores(one, FOUND), pair_scores(one, LED)
    assert whole == pytest.approx((8 / 14, 1)) and part == pytest.approx((7 / 14, 1))
    scores = proposition_scores([[one]], [[FOUND, LED]])
    assert scores.recall == 1, "one fact may hold both"
    assert scores.precision == pytest.approx(8 / 14), "but it is matched with the one that it is most precise of"
    assert scores.f1 == pytest.approx(2 * (8 / 14) / (8 / 14 + 1))


def test_facts_beyond_the_propositions_cost_precision() -> None:
    facts = ["Mr. Baker found an opening under the house.", "An opening led to a coal mine.", "It rained."]
    assert proposition_scores([facts], [[FOUND, LED]]) == PropositionScores(pytest.approx(2 / 3), 1)


def test_the_most_precise_pairs_are_taken_first() -> None:
    a, b = Proposition("sat", ("cat",)), Proposition("sat", ("cat", "mat"))
    assert proposition_scores([["cat sat", "cat sat mat"]], [[a, b]]) == PropositionScores(1, 1)
    tied = proposition_scores([["cat sat", "cat sat mat"]], [[b, a]])
    assert tied == PropositionScores(pytest.approx((1 + 2 / 3) / 2), 1), "of equal pairs the first is taken"
    scores = proposition_scores([["cat sat mat hat", "cat sat"]], [[a]])
    assert scores == PropositionScores(1 / 2, 1)


def test_sentences_are_weighed_by_their_facts_and_propositions() -> None:
    made = [["An opening led to a coal mine."], ["x"], []]
    assert proposition_scores(made, [[LED], [LED, FOUND], [FOUND]]) == PropositionScores(1 / 2, 1 / 4)


def test_nothing_made_or_nothing_wanted_has_no_figure() -> None:
    assert proposition_scores([[]], [[LED]]) == PropositionScores(None, 0.0)
    assert proposition_scores([["It led."]], [[]]) == PropositionScores(0.0, None)
    assert proposition_scores([], []).f1 is None
    assert PropositionScores(0.0, 0.0).f1 == 0


def test_pairs_are_those_of_a_slow_search() -> None:
    """The greedy choice, against taking the largest remaining cell again and again."""
    chance, letters = random.Random(5), "abcdef"
    for _ in range(100):
        gold = [Proposition(chance.choice(letters), tuple(chance.choices(letters, k=3))) for _ in range(3)]
        facts = [" ".join(chance.choices(letters, k=chance.randrange(1, 6))) for _ in range(4)]
        cells = {(g, f): pair_scores(fact, one)[0] for g, one in enumerate(gold) for f, fact in enumerate(facts)}
        total = 0.0
        for _ in gold:
            row, column = max(cells, key=lambda at: cells[at])
            total += cells[row, column]
            cells = {at: value for at, value in cells.items() if at[0] != row and at[1] != column}
        assert proposition_scores([facts], [gold]).precision == pytest.approx(total / 4)
