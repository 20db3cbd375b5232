"""The beam search: what a level asks for, what is merged, what a limit leaves, which state answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory.core.reasoning_tree.search import beam_search
from memory.core.reasoning_tree.types import (
    Action,
    Fate,
    Level,
    Progress,
    Proposed,
    SearchConfig,
    SearchQuery,
    SearchResult,
    State,
    StopReason,
)
from tests.unit.memory.core.reasoning_tree.trees import (
    LittleGraph,
    PlannedPolicy,
    PlannedValue,
    answer,
    look,
    path,
    query_of,
    searched,
    think,
)

FAMILY = [
    ("Ana", "hasSister", "Maya"),
    ("Maya", "worksFor", "Airbus"),
    ("Airbus", "locatedIn", "Toulouse"),
    ("Ben", "likes", "tea"),
]


@pytest.fixture
def graph() -> LittleGraph:
    return LittleGraph(FAMILY, aliases={"Ana's sister": "Maya"})


def thoughts(done: tuple[str, ...]) -> Sequence[Action]:
    return [think(f"{len(done)}.{number} of {'/'.join(done)}") for number in range(3)]


def test_graph_actions_of_a_level_go_to_the_walker_in_one_batch_each(graph: LittleGraph) -> None:
    searched(
        {
            (): [look("Maya"), look("Ana"), path("Ana", "Toulouse")],
            ("EXPAND ENTITY [Maya]",): [look("Airbus"), path("Toulouse", "Ana")],
            ("EXPAND ENTITY [Ana]",): [look("Airbus"), path("Ana", "Toulouse")],
        },
        graph=graph,
        config=SearchConfig(max_depth=2),
    )
    ids = {name: entity.id for name, entity in graph.entities.items()}
    assert graph.expanded == [[[ids["Maya"]], [ids["Ana"]]], [[ids["Airbus"]]]]
    assert graph.joined == [[(ids["Ana"], ids["Toulouse"])]] * 2
    # Names that are no entry and in no subgraph are resolved together, once a level.
    assert graph.resolved == [["Maya", "Ana", "Toulouse"], ["Toulouse", "Airbus"]]


def test_an_alias_is_resolved_and_the_graphs_own_name_is_kept(graph: LittleGraph) -> None:
    told = searched({(): [look("Ana's sister"), look("maya ")]}, graph=graph, entries=[graph.entities["Maya"]])
    first, second = told.levels[1].nodes
    assert first.action == look("Maya")
    assert first.added == graph.triples_of(1, 2)
    assert (second.fate, second.reason) == (Fate.DUPLICATE, "This step was already taken.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(look("Maya"), look("  MAYA"), id="case and space"),
        pytest.param(path("Ana", "Airbus"), path("airbus", "ana"), id="order of a path"),
        pytest.param(think("Maya is the sister."), think("maya  is the SISTER."), id="thoughts"),
        pytest.param(answer("In Toulouse"), answer("in toulouse "), id="answers"),
    ],
)
def test_equal_proposals_are_merged_before_they_are_executed(graph: LittleGraph, first: Action, second: Action) -> None:
    names = [graph.entities[name] for name in ("Ana", "Maya", "Airbus")]
    told = searched({(): [first, second]}, graph=graph, entries=names, config=SearchConfig(max_depth=1))
    kept, merged = told.levels[1].nodes
    assert kept.fate is Fate.KEPT
    assert (merged.fate, merged.reason, merged.value) == (Fate.DUPLICATE, "This step was already taken.", None)
    # Two proposals, one score.
    assert told.result.cost.calls == 3
    assert sum(map(len, graph.expanded + graph.joined)) <= 1


def test_states_that_know_the_same_are_merged_whatever_way_they_took(graph: LittleGraph) -> None:
    told = searched(
        {
            (): [look("Ana"), look("Ben")],
            ("EXPAND ENTITY [Ana]",): [look("Ben")],
            ("EXPAND ENTITY [Ben]",): [look("Ana")],
        },
        graph=graph,
        config=SearchConfig(max_depth=2),
    )
    kept, merged = told.levels[2].nodes
    assert {triple.id for triple in kept.state.subgraph} == {triple.id for triple in merged.state.subgraph} == {1, 4}
    assert (kept.fate, merged.fate, merged.reason) == (Fate.KEPT, Fate.DUPLICATE, "Another way led to the same facts.")


def test_a_step_that_brings_nothing_is_dropped_with_the_reason_and_not_scored(graph: LittleGraph) -> None:
    told = searched(
        {
            (): [look("Maya"), think("hm")],
            ("EXPAND ENTITY [Maya]",): [look("maya"), path("Ana", "Airbus"), path("Maya", "tea")],
        },
        {"EXPAND ENTITY [Maya]": 0.9},
        graph=graph,
        config=SearchConfig(beam_width=1),
    )
    assert [node.reason for node in told.levels[2].nodes] == [
        "This step was already taken on this way.",
        "What leads from Ana to Airbus is known already.",
        "No path of up to 4 steps leads from Maya to tea.",
    ]
    assert {node.fate for node in told.levels[2].nodes} == {Fate.DROPPED}
    assert {node.value for node in told.levels[2].nodes} == {None}
    best = told.result.best
    assert best is not None
    assert best.action == look("Maya")
    assert told.result.stopped_by is StopReason.EXHAUSTED
    assert told.result.failures == ()


def test_a_path_is_the_same_step_from_either_end(graph: LittleGraph) -> None:
    told = searched(
        {(): [path("Ana", "Airbus")], ("FIND PATH [Ana] [Airbus]",): [path("Airbus", "Ana")]},
        graph=graph,
        config=SearchConfig(max_depth=2),
    )
    (node,) = told.levels[2].nodes
    assert node.reason == "This step was already taken on this way."


def test_of_two_entities_with_one_name_the_one_to_begin_with_is_meant(graph: LittleGraph) -> None:
    meant, other = replace(graph.entities["Airbus"], label="Maya"), graph.entities["Maya"]
    told = searched({(): [look("Maya")]}, graph=graph, entries=[meant, other], config=SearchConfig(max_depth=1))
    (node,) = told.levels[1].nodes
    assert node.added == graph.triples_of(2, 3)


def test_paths_are_capped_too(graph: LittleGraph) -> None:
    told = searched({(): [path("Ana", "Toulouse")]}, graph=graph, config=SearchConfig(triples=2, max_depth=1))
    (node,) = told.levels[1].nodes
    assert node.added == graph.triples_of(1, 2)
    assert node.reason == "Only the nearest were taken (2); there are more."


def test_an_entity_of_which_nothing_is_known_ends_in_the_root(graph: LittleGraph) -> None:
    """The model did its part, and memory has nothing: a plain reply is the best that there is."""
    graph.entities["Zoe"] = replace(graph.entities["Ana"], id=99, label="Zoe")
    told = searched({(): [look("Zoe"), look("Nobody")]}, graph=graph)
    assert [node.reason for node in told.levels[1].nodes] == [
        "Nothing more is known about Zoe.",
        'Nothing called "Nobody" is remembered.',
    ]
    best = told.result.best
    assert best is not None
    assert best.parent is None
    assert told.result.failures == ()


def test_a_cap_is_told_in_the_trace() -> None:
    star = LittleGraph([("Ana", "knows", f"Friend {number}") for number in range(60)])
    told = searched({(): [look("Ana")]}, graph=star, config=SearchConfig(triples=40, max_depth=1))
    (node,) = told.levels[1].nodes
    assert len(node.added) == 40
    assert node.reason == "Only the nearest were taken (40); there are more."
    assert node.fate is Fate.KEPT


def test_equal_values_keep_the_answer_then_the_older() -> None:
    told = searched({(): [think("a"), think("b"), answer("c")]}, config=SearchConfig(beam_width=2, max_depth=1))
    assert [node.fate for node in told.levels[1].nodes] == [Fate.KEPT, Fate.PRUNED, Fate.KEPT]
    assert told.result.best == told.node("ANSWER: c")


def test_a_node_that_a_later_level_pushes_off_the_beam_is_reported_again() -> None:
    told = searched(
        {(): [think("a"), answer("early")], ("THINK: a",): [think("b"), think("c")]},
        {"THINK: a": 0.6, "ANSWER: early": 0.5, "THINK: b": 0.8, "THINK: c": 0.7},
        config=SearchConfig(beam_width=2, max_depth=2),
    )
    early = told.node("ANSWER: early").number
    assert [(level.depth, node.fate) for level in told.levels for node in level.nodes if node.number == early] == [
        (1, Fate.KEPT),
        (2, Fate.PRUNED),
    ]


def test_an_answer_that_fell_off_the_beam_still_competes_at_the_end() -> None:
    told = searched(
        {(): [think("a"), answer("early")], ("THINK: a",): [think("b")], ("THINK: a", "THINK: b"): [answer("late")]},
        {"THINK: a": 0.9, "ANSWER: early": 0.8, "THINK: b": 0.85, "ANSWER: late": 0.2},
        config=SearchConfig(beam_width=1),
    )
    best = told.result.best
    assert best is not None
    assert (best.state.answer, best.fate) == ("early", Fate.KEPT)


def test_a_state_without_answer_wins_where_one_more_call_may_write_it() -> None:
    told = searched(
        {(): [think("good"), answer("poor")]},
        {"THINK: good": 0.9, "ANSWER: poor": 0.2},
        config=SearchConfig(max_depth=1),
    )
    best = told.result.best
    assert best is not None
    assert best.action == think("good")


def test_expansions_are_bounded_and_what_found_no_room_stays() -> None:
    told = searched(thoughts, config=SearchConfig(max_expansions=3, max_depth=9))
    parents = {node.parent for node in told.nodes.values()} - {None}
    assert len(parents) == 3
    assert told.result.stopped_by is StopReason.EXPANSIONS
    third = told.levels[1].nodes[2]
    assert told.nodes[third.number].fate is Fate.KEPT


def test_a_level_costs_two_waits_and_asks_in_two_batches() -> None:
    policy, value = PlannedPolicy(thoughts), PlannedValue()
    events = list(beam_search(query_of(), policy=policy, value=value))
    assert [len(asked) for asked in policy.asked] == [1, 3, 3, 3, 2]
    assert [len(asked) for asked in value.asked] == [3, 9, 9, 9, 6]
    assert [event.waits for event in events if isinstance(event, Level)] == [0, 2, 2, 2, 2, 2]


def test_without_a_walker_there_is_nothing_to_look_into() -> None:
    told = searched({(): [look("Maya"), think("a"), answer("b")]}, config=SearchConfig(max_depth=1))
    assert told.node("EXPAND ENTITY [Maya]").reason == "There are no remembered facts to look into."
    assert told.node("THINK: a").fate is Fate.KEPT


def test_progress_says_what_was_done_before_the_level_is_scored(graph: LittleGraph) -> None:
    value = PlannedValue()
    plan = {(): [look("Maya"), path("Maya", "Toulouse"), think("a"), answer("b")]}
    search = beam_search(
        query_of(),
        policy=PlannedPolicy(lambda done: plan.get(done, ())),
        value=value,
        walker=graph,
        resolver=graph,
        config=SearchConfig(samples=4, max_depth=1),
    )
    said: list[str] = []
    for event in search:
        if isinstance(event, Progress):
            assert value.asked == []
            said.append(event.detail)
    assert said == ["looked at Maya", "found a path Maya – Toulouse", "thought it over", "drafted an answer"]


def test_closing_the_search_ends_it_before_the_next_wait() -> None:
    policy, value = PlannedPolicy(thoughts), PlannedValue()
    search = beam_search(query_of(), policy=policy, value=value)
    assert isinstance(next(search), Level)
    assert isinstance(next(search), Progress)
    search.close()
    assert (len(policy.asked), len(value.asked)) == (1, 0)
    assert list(search) == []


def test_exactly_one_result_comes_last_with_the_limits_that_it_ran_under() -> None:
    config = SearchConfig(max_depth=2)
    told = searched(thoughts, config=config)
    assert [type(event) for event in told.events].count(SearchResult) == 1
    assert told.result.config == config


EARLY = {(): [answer("sure"), think("a")], ("THINK: a",): [think("b"), think("c")]}


@pytest.mark.parametrize(
    ("enough", "value", "stopped_by"),
    [
        (0.9, 0.9, StopReason.ENOUGH),
        (0.9, 0.89, StopReason.EXHAUSTED),
        (None, 1.0, StopReason.EXHAUSTED),
    ],
)
def test_a_level_that_a_good_answer_leads_ends_the_search(
    enough: float | None, value: float, stopped_by: StopReason
) -> None:
    told = searched(EARLY, {"ANSWER: sure": value}, config=SearchConfig(enough=enough))
    assert told.result.stopped_by is stopped_by
    assert (len(told.levels) == 2) is (stopped_by is StopReason.ENOUGH)
    assert told.result.best is not None
    assert told.result.best.state.answer == "sure"


def test_a_good_answer_ends_nothing_before_it_leads_its_level() -> None:
    told = searched(EARLY, {"ANSWER: sure": 0.95, "THINK: a": 0.96}, config=SearchConfig(enough=0.9))
    assert (told.result.stopped_by, len(told.levels)) == (StopReason.ENOUGH, 3)


def test_the_last_level_asks_for_one_answer_a_state() -> None:
    policy = PlannedPolicy(thoughts)
    told: list[bool] = []

    class Noting(PlannedPolicy):
        def propose_many(self, query: SearchQuery, states: Sequence[State], *, samples: int) -> list[list[Proposed]]:
            told.append(query.must_answer)
            return policy.propose_many(query, states, samples=samples)

    search = beam_search(
        query_of(),
        policy=Noting(thoughts),
        value=PlannedValue(),
        config=SearchConfig(max_depth=3, answers_last=True),
    )
    list(search)
    assert policy.samples == [3, 3, 1]
    assert told == [False, False, True]


def test_answers_that_differ_in_marks_alone_are_one_and_others_are_not() -> None:
    answers = ["In Toulouse.", '"In Toulouse!"', "Not in Toulouse.", "In Toulouse (France)."]
    told = searched({(): [answer(one) for one in answers]}, config=SearchConfig(samples=4, max_depth=1))
    assert [node.fate is Fate.DUPLICATE for node in told.levels[1].nodes] == [False, True, False, False]


def test_what_brought_nothing_is_told_to_the_states_beside_it_and_is_not_done_again(graph: LittleGraph) -> None:
    told = searched(
        {
            (): [look("Maya"), look("Zoe"), path("Maya", "tea")],
            ("EXPAND ENTITY [Maya]",): [path("tea", "Maya"), think("a")],
        },
        graph=graph,
        config=SearchConfig(max_depth=2),
    )
    again, thought = told.levels[2].nodes
    assert [(one.action, one.reason) for one in thought.state.in_vain] == [
        (look("Zoe"), 'Nothing called "Zoe" is remembered.'),
        (path("Maya", "tea"), "No path of up to 4 steps leads from Maya to tea."),
    ]
    assert (again.fate, again.reason) == (Fate.DROPPED, "This step was already taken on this way.")
    assert len(graph.joined) == 1


def test_a_name_may_come_back_with_what_was_said_of_it(graph: LittleGraph) -> None:
    graph.entities["Mars (bar)"] = replace(graph.entities["Ben"], label="Mars (bar)")
    told = searched(
        {(): [look("Maya (your sister)"), look("Mars (bar)")]}, graph=graph, config=SearchConfig(max_depth=1)
    )
    assert [node.action for node in told.levels[1].nodes] == [look("Maya"), look("Mars (bar)")]
    assert [len(node.added) for node in told.levels[1].nodes] == [2, 1]


@pytest.mark.parametrize("name", ["beam_width", "samples", "max_depth", "max_expansions", "triples"])
def test_a_limit_that_allows_nothing_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} of a search is at least 1, not 0"):
        SearchConfig(**{name: 0})
