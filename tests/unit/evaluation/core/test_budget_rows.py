"""What the budgets of a search are worth, told by one run with all of them."""

from __future__ import annotations

from evaluation.core.answer_rows import ScoredAnswer
from evaluation.core.chaining_rows import Reasoned, budget_rows


def reasoned(
    case: str, f1: float, breadth: int, depth: int, subgoals: int = 2, name: str = "goal_mem/bm25"
) -> Reasoned:
    answer = ScoredAnswer(case, "1", "Who?", "multi-hop", name, "Ana", "Ana", {"token_f1": f1})
    return Reasoned(answer, {"breadth": breadth, "depth": depth, "subgoals": subgoals})


SEARCHED = [
    reasoned("a", 1.0, 1, 0),
    reasoned("a", 0.5, 1, 2),
    reasoned("b", 0.8, 2, 1, 3),
    reasoned("b", 0.0, 1, 0, 1),
]


def test_an_answer_counts_from_the_budget_on_that_its_search_took():
    found = {row.group: (row.value, row.n) for row in budget_rows(SEARCHED) if row.metric == "token_f1"}
    assert found == {
        "depth up to 0": (1.0 / 4, 4),
        "depth up to 1": (1.8 / 4, 4),
        "depth up to 2": (2.3 / 4, 4),
        "breadth up to 1": (1.5 / 4, 4),
        "breadth up to 2": (2.3 / 4, 4),
    }


def test_shares_tell_how_much_searches_took():
    found = {row.group: (row.name, row.value, row.n) for row in budget_rows(SEARCHED) if row.metric == "share"}
    assert {group: value for group, (_, value, _) in found.items()} == {
        "breadth 1": 0.75,
        "breadth 2": 0.25,
        "depth 0": 0.5,
        "depth 1": 0.25,
        "depth 2": 0.25,
        "subgoals 1": 0.25,
        "subgoals 2": 0.5,
        "subgoals 3": 0.25,
    }
    assert {(name, count) for name, _, count in found.values()} == {("goal_mem/bm25", 4)}


def test_ways_that_do_not_search_and_refusals_have_no_budget():
    alone = Reasoned(SEARCHED[0].scored, {"retrievals": 1})
    refused = ScoredAnswer("a", "2", "Who?", "adversarial", "goal_mem/bm25", None, "I don't know.", {"refused": 1.0})
    took = {"breadth": 3, "depth": 5, "subgoals": 2}
    assert list(budget_rows([alone])) == []
    assert [row.metric for row in budget_rows([Reasoned(refused, took)])] == ["share"] * 3
