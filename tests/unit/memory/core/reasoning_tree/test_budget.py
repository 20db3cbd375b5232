"""Budgets: when calls, tokens or seconds run out, the best state so far answers, and the result says so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import Action, Cost, Fate, Proposed, SearchConfig, SearchQuery, State, StopReason
from tests.unit.memory.core.reasoning_tree.trees import (
    PlannedPolicy,
    PlannedValue,
    Told,
    answer,
    query_of,
    searched,
    think,
)


def plan(done: tuple[str, ...]) -> Sequence[Action]:
    return [think(f"{len(done)}.{number} after {' '.join(done)}") for number in range(3)]


@pytest.mark.parametrize("limit", [*range(1, 30), 73, 74])
def test_calls_never_pass_the_limit_less_one_for_the_reply(limit: int) -> None:
    told = searched(plan, config=SearchConfig(max_calls=limit))
    assert told.result.cost.calls <= limit - 1
    # The search spends what it may: another proposal with its score would not have gone in.
    assert told.result.cost.calls >= min(limit - 2, 72)
    assert told.result.stopped_by is (StopReason.CALLS if limit < 73 else StopReason.DEPTH)
    assert told.result.best is not None


def test_a_batch_is_trimmed_to_the_calls_that_are_left() -> None:
    policy, value = PlannedPolicy(plan), PlannedValue()
    # 1 for the reply, 6 for the first level, 13 left: two states with three proposals each, and their scores.
    list(beam_search(query_of(), policy=policy, value=value, config=SearchConfig(max_calls=20, max_depth=2)))
    assert [len(asked) for asked in policy.asked] == [1, 2]
    # 1 for the reply, 6 for the first level, 4 left: one state with two proposals.
    policy = PlannedPolicy(plan)
    list(beam_search(query_of(), policy=policy, value=value, config=SearchConfig(max_calls=11, max_depth=2)))
    assert ([len(asked) for asked in policy.asked], policy.samples) == ([1, 1], [3, 2])


@pytest.mark.parametrize(
    ("calls", "asked", "samples"),
    [
        # 1 for the reply, 6 for the first level, 18 for the second, 5 left: two states answer.
        (30, [1, 3, 2], [3, 3, 1]),
        # 1 for the reply, 5 left: the first level looks all the same.
        (6, [1], [2]),
    ],
)
def test_the_last_calls_go_to_answers_of_several_states(calls: int, asked: list[int], samples: list[int]) -> None:
    policy = PlannedPolicy(plan)
    config = SearchConfig(max_calls=calls, answers_last=True)
    list(beam_search(query_of(), policy=policy, value=PlannedValue(), config=config))
    assert ([len(states) for states in policy.asked], policy.samples) == (asked, samples)


class DearPolicy(PlannedPolicy):
    """Takes two calls a proposal, one more than is reckoned."""

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        proposals = super().propose_many(query, states, samples=samples)
        return [[Proposed(one.action, Cost(2)) for one in some] for some in proposals]


def test_scores_are_trimmed_to_the_calls_that_proposals_left() -> None:
    value = PlannedValue()
    search = beam_search(query_of(), policy=DearPolicy(plan), value=value, config=SearchConfig(max_calls=9))
    told = Told(list(search))
    assert [len(asked) for asked in value.asked] == [2]
    assert [node.value for node in told.levels[1].nodes] == [0.5, 0.5, None]
    assert (told.result.cost.calls, told.result.stopped_by) == (8, StopReason.CALLS)


def test_no_call_at_all_is_a_plain_reply_from_the_root() -> None:
    told = searched(plan, config=SearchConfig(max_calls=1))
    assert told.result.best == told.levels[0].nodes[0]
    assert (told.result.stopped_by, told.result.cost, told.result.waits) == (StopReason.CALLS, Cost(), 0)


def test_a_used_up_budget_takes_an_answer_before_a_better_state_without_one() -> None:
    told = searched(
        {(): [think("good"), answer("fair")]},
        {"THINK: good": 0.9, "ANSWER: fair": 0.6},
        config=SearchConfig(max_calls=6),
    )
    best = told.result.best
    assert best is not None
    assert (best.state.answer, told.result.stopped_by) == ("fair", StopReason.CALLS)


def test_tokens_are_checked_before_each_batch() -> None:
    # A call takes 12 tokens: after the first level's proposals (36) and scores (36) the second one may still propose.
    told = searched(plan, config=SearchConfig(max_tokens=73))
    assert told.result.stopped_by is StopReason.TOKENS
    assert [level.waits for level in told.levels] == [0, 2, 1]
    unscored = told.levels[2].nodes
    assert {(node.fate, node.value) for node in unscored} == {(Fate.PRUNED, None)}
    assert {node.reason for node in unscored} == {"A budget was used up before this step could be scored."}
    best = told.result.best
    assert best is not None
    assert best.state.depth == 1
    assert told.result.failures == ()


def test_tokens_that_run_out_at_once_leave_the_root() -> None:
    told = searched(plan, config=SearchConfig(max_tokens=1))
    assert (told.result.best, told.result.stopped_by) == (told.levels[0].nodes[0], StopReason.TOKENS)


class TimedPolicy(PlannedPolicy):
    """Takes four seconds a batch of proposals."""

    now = 0.0

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        self.now += 4.0
        return super().propose_many(query, states, samples=samples)


@pytest.mark.parametrize(("limit", "levels"), [(3.0, [0, 1]), (5.0, [0, 2, 1]), (9.0, [0, 2, 2, 1])])
def test_seconds_are_checked_before_each_batch(limit: float, levels: list[int]) -> None:
    policy = TimedPolicy(plan)
    search = beam_search(
        query_of(),
        policy=policy,
        value=PlannedValue(),
        config=SearchConfig(max_seconds=limit),
        clock=lambda: policy.now,
    )
    told = Told(list(search))
    assert told.result.stopped_by is StopReason.SECONDS
    assert [level.waits for level in told.levels] == levels
    assert told.result.milliseconds == 4000.0 * (len(levels) - 1)


class FreePolicy(PlannedPolicy):
    """Proposes without a model."""

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        return [[Proposed(action) for action in self.plan(())] for _ in states]


def test_roles_without_a_model_cost_no_wait() -> None:
    search = beam_search(
        query_of(), policy=FreePolicy(lambda done: [answer("yes")]), value=PlannedValue(), config=SearchConfig()
    )
    told = Told(list(search))
    assert told.result.waits == told.levels[1].waits == 1
    assert told.result.cost.calls == 1
