"""The scores of tasks over several turns, worked by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.tasks.attempts import attempt_of, attempts, is_label, last_number, number_of, numbers_in, solves
from evaluation.core.tasks.constraints import RULES, constraint_of, keeps, told
from evaluation.core.tasks.rows import (
    NEEDS_A_JUDGE,
    ONE_REPEAT,
    aptitude,
    averaged_performance,
    task_rows,
    unreliability,
)
from evaluation.core.tasks.types import Constraint, PlayedTask, PlayedTurn, Scoring, Task, TaskTurn


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2 dozen at $1,200.50.", ["2", "1200.50"]),
        ("10-5 = 5, or -5", ["10", "5", "5", "-5"]),
        ("none", []),
    ],
)
def test_numbers_are_read_as_they_are_written(text: str, numbers: list[str]) -> None:
    assert numbers_in(text) == [Decimal(number) for number in numbers]
    assert last_number(text) == (Decimal(numbers[-1]) if numbers else None)


@pytest.mark.parametrize(("text", "number"), [("1,200", 1200), (" -16 ", -16), ("3 or 4", None), ("1,2", None)])
def test_one_number_is_told_from_other_words(text: str, number: int | None) -> None:
    assert number_of(text) == number


SAID = ("How many shells did Leigh have?", "Mimi picked up two dozen shells, and Kyle 48.")


@pytest.mark.parametrize(
    ("reply", "attempted"),
    [
        ("Kyle has 48 shells. How many did Leigh grab?", None),
        ("You told me of 2 dozen and of 48.", None),
        ("Did Leigh have 16 shells?", None),
        ("Leigh has 16 shells. Shall I explain?", 16),
        ("So 48 / 3 = 16. That is all.", 16),
        ("48 - 0 = 48", 48),
        ("The answer is 48.", 48),
        ("Some work first: 7.\n#### 1,016", 1016),
        ("\\boxed{48}", 48),
    ],
)
def test_an_attempt_states_a_result_that_nobody_said(reply: str, attempted: int | None) -> None:
    words = attempt_of(reply, said=SAID)
    assert (None if words is None else last_number(words)) == attempted


def test_the_figures_of_repeats_are_those_of_the_paper() -> None:
    scores = {"a": [0.0, 0.0, 1.0, 1.0, 1.0], "b": [1.0] * 5, "c": [0.0] * 5}
    assert averaged_performance(scores) == pytest.approx((0.6 + 1 + 0) / 3)
    assert aptitude(scores) == pytest.approx((1 + 1 + 0) / 3)
    assert unreliability(scores) == pytest.approx(1 / 3)
    # Rank 0.9 * 3 = 2.7 lies between the third and the fourth of 0, 0, 0, 1.
    assert aptitude({"d": [1.0, 0.0, 0.0, 0.0]}) == pytest.approx(0.7)


@given(st.dictionaries(st.text(max_size=2), st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1))
def test_unreliability_lies_between_none_and_all(scores: dict[str, list[float]]) -> None:
    assert -1e-9 <= unreliability(scores) <= 1
    assert aptitude(scores) >= min(map(min, scores.values())) - 1e-9


@pytest.mark.parametrize(
    ("reply", "is_right"),
    [("Music.", True), ("Category: MUSIC", True), ("music or art", False), ("musical", False), ("", False)],
)
def test_a_class_is_named_alone(reply: str, is_right: bool) -> None:
    assert is_label(reply, "music", labels=["music", "art"]) is is_right


@pytest.mark.parametrize(
    ("kind", "about", "kept", "broken"),
    [
        ("startend:start_char", ("y",), "Yes.", "No."),
        ("startend:start_emoji", (), "\N{SPARKLES} Yes.", "Yes. \N{SPARKLES}"),
        ("startend:end_phrase", ("Any other questions?",), "Yes. any other questions?", "Any other questions? Yes."),
        ("language:response_language", ("Greek",), "Ναι, OK.", "Yes, ναι."),
        ("format:json_format", (), '```json\n{"a": 1}\n```', "{a: 1}"),
        ("format:bullet_list", ("2",), "* one\n- two", "**one**\n* two"),
        ("length_constraints:number_words", ("3",), "It is.", "It is so."),
        ("length_constraints:number_sentences", ("3",), "At 3.5 degrees. Yes", "One. Two. Three"),
        ("keywords:existence", ("coffee", "river"), "River coffee.", "Rivers and coffee."),
        ("change_case:capital_letter", (), "YES 2.", "YES it is."),
        ("change_case:lowercase", (), "yes 2.", "Yes."),
        ("punctuation:no_comma", (), "Yes.", "Yes, it is."),
        ("combination:two_responses", (), "Yes.\n******\nNo.", "Yes.******Yes."),
        ("content:placeholder", ("2",), "[name] at [place]", "[name] at []"),
        ("format:constrained_response", ("My answer is yes.", "My answer is no."), "My answer is no.", "No."),
    ],
)
def test_a_rule_is_kept_or_broken(kind: str, about: tuple[str, ...], kept: str, broken: str) -> None:
    rule = Constraint(kind, about)
    assert keeps(f" {kept}\n", rule)
    assert not keeps(broken, rule)
    assert not keeps("", rule)


def test_rules_are_drawn_alike_and_told_whole() -> None:
    words = ["coffee", "river", "stone"]
    for kind in RULES:
        rule = constraint_of(kind, seed="a", words=words)
        assert rule == constraint_of(kind, seed="a", words=words)
        assert all(part in told(rule) for part in rule.about)
        assert "{" not in told(rule)


def played(number: str, *replies: str, name: str = "a", repeat: int = 0, error: str = "") -> PlayedTask:
    turns = tuple(PlayedTurn(f"shard {chr(97 + place)}", reply) for place, reply in enumerate(replies))
    task = Task(name, "math", Scoring.NUMBER, tuple(TaskTurn(turn.text) for turn in turns), "sharded", number)
    return PlayedTask(f"{name}{repeat}", task, "lost", "base", "e", repeat, turns, error)


def figures(*tasks: PlayedTask) -> dict[str, float | None]:
    return {row.metric: row.value for row in task_rows(tasks, name_of=lambda one: one.responder)}


def test_an_item_has_its_point_where_one_attempt_is_right() -> None:
    changed = played("16", "I get 16.", "No, 18.")
    assert attempts(changed) == [16, 18]
    assert solves(attempts(changed), "16")
    found = figures(changed, played("3", "Tell me more.", "It is 3.", name="b"), played("3", error="gone", name="c"))
    assert found["averaged_performance"] == pytest.approx(2 / 3)
    assert found["last_attempt_exact"] == pytest.approx(1 / 3)
    assert found["attempted"] == pytest.approx(2 / 3)
    assert found["early_attempts"] == pytest.approx(1 / 2)
    assert found["failed"] == 1


def test_how_far_scores_differ_takes_repeats() -> None:
    once = task_rows([played("3", "It is 3.")], name_of=lambda one: "base")
    assert {row.metric: row.why for row in once if row.value is None} == {
        "aptitude_90": ONE_REPEAT,
        "unreliability_90_10": ONE_REPEAT,
    }
    twice = figures(played("3", "It is 3."), played("3", "It is 4.", repeat=1))
    assert twice["aptitude_90"] == pytest.approx(0.9)
    assert twice["unreliability_90_10"] == pytest.approx(0.8)


def test_replies_that_take_a_judge_have_no_value() -> None:
    task = Task("m", "MEMORY", Scoring.JUDGE, (TaskTurn("Hi", "Hello"), TaskTurn("Well?")))
    turns = (PlayedTurn("Hi", "Hello", is_given=True), PlayedTurn("Well?", "Yes."))
    rows = task_rows([PlayedTask("k", task, "multichallenge", "base", "e", 0, turns)], name_of=lambda one: "base")
    judged = [row for row in rows if row.metric == "pass_rate"]
    assert [(row.value, row.why, row.group) for row in judged] == [
        (None, NEEDS_A_JUDGE, "multichallenge judge"),
        (None, NEEDS_A_JUDGE, "multichallenge judge MEMORY"),
    ]
