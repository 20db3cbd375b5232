"""D-SMART, Appendix C: the seven measures of Table 4 and both stages of the refined subset, worked by hand."""

from __future__ import annotations

import pytest

from evaluation.core.complexity.measures import (
    Complexity,
    RefinementConfig,
    Turn,
    by_complexity,
    complexity,
    complexity_rows,
    mean_ranks,
    moderate,
    refined_subset,
    words_of,
)
from evaluation.core.report import Row

TALK = (
    Turn("If Ana comes, we go to Rome. Fine.", frozenset({"ana", "rome"})),
    Turn("Don't take Ana's car.", frozenset({"ana"})),
    Turn("Go to Oslo, Rome or 3 other places without her.", frozenset({"oslo", "rome", "3"})),
)


def test_words_are_counted_without_marks_and_case():
    assert words_of("Don’t go: 3 well-known _places_!") == ["don’t", "go", "3", "well-known", "places"]


def test_seven_measures_of_a_dialogue():
    # 8 + 4 + 10 words, 19 different ones: "go", "to" and "rome" come twice. New: Ana and Rome, nothing, Oslo and 3.
    assert complexity(TALK) == Complexity(
        turns=3,
        words_a_turn=22 / 3,
        type_token_ratio=19 / 22,
        unique_entities=4,
        conditional_turns=1 / 3,
        constraint_turns=2 / 3,
        new_entities_a_turn=4 / 3,
    )
    with pytest.raises(ValueError, match="without a turn"):
        complexity(())


def test_rate_of_new_entities_is_that_of_unique_ones_by_turn_as_in_the_table():
    assert round(5.04 / 3.03, 2) == 1.66
    assert round(9.91 / 3.42, 1) == 2.9
    found = complexity(TALK)
    assert found.new_entities_a_turn == found.unique_entities / found.turns


@pytest.mark.parametrize(
    ("text", "conditional", "constraint"),
    [
        ("What if it rains?", 1, 0),
        ("Unless you object, never reply.", 1, 1),
        ("An iffy sift of gifts.", 0, 0),
        ("AVOID adverbs, and use no more than ten words.", 0, 1),
        ("I don’t know.", 0, 1),
        ("Avoidance and exceptions.", 0, 0),
    ],
)
def test_conditions_and_constraints_are_whole_words(text: str, conditional: int, constraint: int):
    found = complexity([Turn(text)])
    assert (found.conditional_turns, found.constraint_turns) == (conditional, constraint)


def test_figures_of_a_set_are_those_of_the_table():
    rows = complexity_rows("original", {"one": TALK, "two": (Turn("Go to Rome.", frozenset({"rome"})),)})
    assert {row.metric: (row.value, row.n, row.unit) for row in rows} == {
        "turns": (2.0, 2, "turns"),
        "words_a_turn": (25 / 4, 4, "words"),
        "type_token_ratio": (19 / 25, 25, "ratio"),
        "unique_entities": (2.5, 2, "entities"),
        "conditional_turns": (1 / 4, 4, "ratio"),
        "constraint_turns": (2 / 4, 4, "ratio"),
        "new_entities_a_turn": (5 / 4, 4, "entities"),
    }
    assert all(row.low is not None and row.low <= row.value <= row.high for row in rows if row.unit != "ratio")


def test_figures_of_no_dialogue_say_why():
    why = "there is no dialogue in the set"
    assert {(row.value, row.n, row.why) for row in complexity_rows("refined", {})} == {(None, 0, why)}
    assert complexity_rows("refined", {})[2] == Row("refined", "type_token_ratio", None, "ratio", 0, why=why)


def measured(turns: float, words: float) -> Complexity:
    return Complexity(turns, words, 0.5, 1, 0, 0, 1)


def test_stage_1_keeps_moderate_scores_and_both_bounds():
    dialogues = dict.fromkeys("abcdef", measured(1, 1))
    scores = {"a": 3.99, "b": 4.0, "c": 6.5, "d": 8.0, "e": 8.01}
    assert moderate(dialogues, scores) == ["b", "c", "d"]
    assert moderate(dialogues, scores, config=RefinementConfig(low=0, high=3.99)) == ["a"]


def test_equal_values_share_the_mean_of_their_ranks():
    assert mean_ranks([5, 7, 5, 1]) == [2.5, 1.0, 2.5, 4.0]


def test_stage_2_ranks_by_the_mean_of_ranks():
    # By turns a is first, b second, c third; by words c, b, a; by the other five all are equal: b wins with two seconds only
    # where c is not first by more, so that the means are equal, and the order is that of the file.
    tied = {"a": measured(3, 1), "b": measured(2, 2), "c": measured(1, 3)}
    assert by_complexity(tied) == ["a", "b", "c"]
    assert by_complexity({**tied, "d": measured(4, 4)}) == ["d", "a", "b", "c"]
    assert by_complexity({}) == []


def test_refined_subset_is_a_quarter_of_all_dialogues_after_both_stages():
    dialogues = {str(number): measured(number, number) for number in range(8)}
    assert refined_subset(dialogues, None) == ["7", "6"]
    scores = dict.fromkeys(dialogues, 5.0) | {"7": 9.0}
    assert refined_subset(dialogues, scores) == ["6", "5"]
    assert refined_subset(dialogues, {"3": 5.0}) == ["3"]
    assert refined_subset(dialogues, {}) == []
