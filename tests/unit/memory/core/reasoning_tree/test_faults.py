"""What goes wrong drops its node with a sentence, never with a score; what is left goes on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest

from memory.core.errors import LanguageModelError, MemoryCoreError, ModelUnreachable, TextTooLong
from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import (
    Action,
    ActionKind,
    Fate,
    Proposed,
    Rejected,
    Scored,
    SearchConfig,
    SearchQuery,
    State,
    StopReason,
)
from tests.unit.memory.core.reasoning_tree.trees import (
    LittleGraph,
    PlannedPolicy,
    PlannedValue,
    Told,
    answer,
    look,
    path,
    query_of,
    searched,
    think,
)

GRAPH = LittleGraph([("Maya", "worksFor", "Airbus")])
DEAD = "The server does not answer."


def plan(done: tuple[str, ...]) -> Sequence[Action]:
    return [think(f"{number} after {' '.join(done)}") for number in range(3)]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (look("Zoe"), 'Nothing called "Zoe" is remembered.'),
        (path("Zoe", "Lyon"), 'Nothing called "Zoe" or "Lyon" is remembered.'),
        (Action(ActionKind.EXPAND_ENTITY), "To look around takes one name, not 0."),
        (Action(ActionKind.EXPAND_ENTITY, ("Maya", "Airbus")), "To look around takes one name, not 2."),
        (path("Maya"), "To find a path takes two names, not 1."),
        (path("Maya", " maya"), "A path needs two different ends, not Maya twice."),
        (think(" "), "The thought has no words."),
        (think("\u200b \u202e"), "The thought has no words."),
        (answer(""), "The answer has no words."),
        (answer(" \u2060\n"), "The answer has no words."),
        (Rejected("It names no action.", "hm"), 'It names no action. It was: "hm"'),
    ],
)
def test_a_proposal_that_cannot_be_taken_is_dropped_and_the_others_go_on(
    action: Action | Rejected, reason: str
) -> None:
    told = searched({(): [action, answer("yes")]}, graph=GRAPH)
    bad, good = told.levels[1].nodes
    assert (bad.fate, bad.reason, bad.value) == (Fate.DROPPED, reason, None)
    assert good.fate is Fate.KEPT
    best = told.result.best
    assert best is not None
    assert best.state.answer == "yes"


@pytest.mark.parametrize("score", [7.0, -0.1, math.nan, math.inf, Rejected('"great" is no score.')])
def test_a_score_that_is_none_puts_the_node_behind_all_that_have_one(score: float | Rejected) -> None:
    told = searched({(): [answer("no"), answer("yes")]}, {"ANSWER: no": score, "ANSWER: yes": 0.1})
    bad, good = told.levels[1].nodes
    assert (bad.fate, bad.value, bad.is_scored) == (Fate.KEPT, None, False)
    assert bad.reason.startswith(("A score of", '"great" is'))
    assert bad.cost.calls == 2
    assert told.result.best == good
    assert told.result.failures == (bad.reason,)


def test_a_state_without_a_score_is_searched_on_where_the_beam_has_room() -> None:
    told = searched(
        {(): [look("Maya"), think("a")], ("EXPAND ENTITY [Maya]",): [answer("Airbus.")]},
        {"EXPAND ENTITY [Maya]": Rejected("great"), "ANSWER: Airbus.": 0.9},
        graph=GRAPH,
    )
    best = told.result.best
    assert best is not None
    assert (best.state.answer, best.state.subgraph) == ("Airbus.", GRAPH.triples_of(1))


def test_a_level_without_a_score_ends_the_search_and_keeps_what_it_found() -> None:
    blind = {"EXPAND ENTITY [Maya]": Rejected("great"), "ANSWER: no idea": Rejected("great")}
    told = searched({(): [look("Maya"), answer("no idea")]}, blind, graph=GRAPH)
    assert told.result.stopped_by is StopReason.EXHAUSTED
    assert told.result.found == GRAPH.triples_of(1)
    # Nobody judged the answer, and it rests on nothing: the reply is written from what was found.
    assert told.result.best == told.levels[0].nodes[0]


def test_an_answer_without_a_score_is_taken_where_it_rests_on_facts_or_nothing_was_found() -> None:
    blind = {"ANSWER: Airbus.": Rejected("great"), "THINK: so": Rejected("great")}
    plan = {(): [look("Maya")], ("EXPAND ENTITY [Maya]",): [think("so"), answer("Airbus.")]}
    for told in (searched(plan, blind, graph=GRAPH), searched({(): [answer("Airbus.")]}, blind, graph=GRAPH)):
        best = told.result.best
        assert best is not None
        assert best.state.answer == "Airbus."


class DyingPolicy(PlannedPolicy):
    """Its server dies before the level of this number: for all states, or for the first proposal of each."""

    dies_at = 3
    error: MemoryCoreError = ModelUnreachable(DEAD)
    dead: Callable[[int], bool] = staticmethod(lambda place: True)

    def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
        proposals = super().propose_many(query, states, samples=samples)
        if len(self.asked) < self.dies_at:
            return proposals
        failed = Rejected(str(self.error))
        return [[Proposed(failed) if self.dead(place) else one for place, one in enumerate(some)] for some in proposals]


def told_of(policy: PlannedPolicy, value: PlannedValue | None = None, config: SearchConfig | None = None) -> Told:
    search = beam_search(query_of(), policy=policy, value=value or PlannedValue(), config=config or SearchConfig())
    return Told(list(search))


def test_a_server_that_dies_in_the_third_level_leaves_the_best_state_of_the_second() -> None:
    told = told_of(DyingPolicy(plan))
    assert [level.depth for level in told.levels] == [0, 1, 2, 3]
    assert {(node.fate, node.reason) for node in told.levels[3].nodes} == {(Fate.DROPPED, DEAD)}
    best = told.result.best
    assert best is not None
    assert best.state.depth == 2
    assert (told.result.stopped_by, told.result.failures) == (StopReason.EXHAUSTED, (DEAD,))


def test_a_dead_server_takes_a_finished_answer_before_a_better_state_that_nobody_can_finish() -> None:
    def with_answer(done: tuple[str, ...]) -> Sequence[Action]:
        return [think("a"), answer("fair")] if not done else plan(done)

    told = told_of(DyingPolicy(with_answer), PlannedValue({"THINK: a": 0.9, "ANSWER: fair": 0.4}))
    best = told.result.best
    assert best is not None
    assert best.state.answer == "fair"


def test_some_failures_of_a_level_leave_the_others() -> None:
    policy = DyingPolicy(plan)
    policy.dead = lambda place: place == 0
    told = told_of(policy)
    assert [node.fate for node in told.levels[3].nodes].count(Fate.DROPPED) == 3
    assert told.result.stopped_by is StopReason.DEPTH
    assert told.result.failures == (DEAD,)


def test_nothing_left_is_no_result_but_its_failures() -> None:
    policy = DyingPolicy(plan)
    policy.dies_at = 1
    told = told_of(policy)
    assert told.result.best is None
    assert (told.result.failures, told.result.stopped_by) == ((DEAD,), StopReason.EXHAUSTED)


def test_one_reply_that_could_be_read_leaves_the_root_to_answer() -> None:
    told = searched({(): [Rejected("It names no action."), look("Zoe")]}, graph=GRAPH)
    assert told.result.best == told.levels[0].nodes[0]
    assert told.result.failures == ("It names no action.",)


def test_a_reply_that_could_not_be_read_leaves_the_root_as_well_and_silence_does_not() -> None:
    unread = searched({(): [Rejected("It names no action.", "Happy to help!")]}, graph=GRAPH)
    assert unread.result.best == unread.levels[0].nodes[0]
    silent = searched({(): [Rejected("It is empty.")]}, graph=GRAPH)
    assert silent.result.best is None


def test_no_score_at_all_leaves_the_root_and_says_why() -> None:
    class Blind(PlannedValue):
        def score_many(self, query: SearchQuery, states: Sequence[State]) -> list[Scored]:
            raise ModelUnreachable(DEAD)

    told = told_of(PlannedPolicy(plan), Blind())
    assert told.result.best == told.levels[0].nodes[0]
    assert told.result.failures == (DEAD,)
    assert {node.reason for node in told.levels[1].nodes} == {DEAD}


@pytest.mark.parametrize("error", [ModelUnreachable(DEAD), LanguageModelError("Odd."), TextTooLong("Too long.")])
def test_a_role_that_fails_as_a_whole_ends_the_search_with_its_sentence(error: MemoryCoreError) -> None:
    class Raising(PlannedPolicy):
        def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
            if self.asked:
                raise error
            return super().propose_many(query, states, samples=samples)

    told = told_of(Raising(plan))
    best = told.result.best
    assert best is not None
    assert best.state.depth == 1
    assert told.result.failures == (str(error),)


def test_a_defect_is_no_failure_of_the_model_and_is_raised() -> None:
    class Broken(PlannedPolicy):
        def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        told_of(Broken(plan))
