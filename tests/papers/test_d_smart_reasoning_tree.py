"""D-SMART, Algorithm 2, worked by hand: the reasoning tree over three facts about a sister.

The question is where the sister's employer has its office. Proposals and values are written by hand; the graph actions are
executed. Beam width 2, three proposals a state.
"""

from __future__ import annotations

import pytest

from memory.core.reasoning_tree.types import Fate, SearchConfig, State, StopReason
from tests.unit.memory.core.reasoning_tree.trees import LittleGraph, Told, answer, look, path, searched, steps, think

GRAPH = LittleGraph(
    [
        ("Ana", "hasSister", "Maya"),
        ("Maya", "worksFor", "Airbus"),
        ("Airbus", "locatedIn", "Toulouse"),
        ("Ana", "likes", "tea"),
    ]
)
LOOK, PATH = "EXPAND ENTITY [Maya]", "FIND PATH [Ana] [Toulouse]"
VAGUE, GUESS, SURE, WRONG = "THINK: Maya", "ANSWER: In Lyon", "ANSWER: In Toulouse", "ANSWER: In Paris"
CHAIN, REST, MORE = "THINK: the chain", "THINK: tea", "EXPAND ENTITY [Ana]"

# Which actions p^pi proposes at each state, known by the steps that led to it.
PLAN = {
    (): [look("Maya"), think("Maya"), path("Ana", "Toulouse")],
    (PATH,): [answer("In Lyon"), think("the chain")],
    (LOOK,): [answer("In Paris"), think("tea")],
    (PATH, "THINK: the chain"): [answer("In Toulouse"), look("Ana")],
}
# What p^v says of the state after each step.
VALUES = {LOOK: 0.6, VAGUE: 0.4, PATH: 0.7, GUESS: 0.5, CHAIN: 0.8, WRONG: 0.85, REST: 0.3, SURE: 0.95, MORE: 0.6}


@pytest.fixture(scope="module")
def told() -> Told:
    config = SearchConfig(beam_width=2, max_depth=3)
    return searched(PLAN, VALUES, graph=GRAPH, config=config, entries=[GRAPH.entities["Ana"]])


def fates(told: Told, depth: int) -> dict[str, tuple[float | None, Fate]]:
    """Return what the level of a depth reported of each node, by its last step."""
    return {steps(node.state)[-1]: (node.value, node.fate) for node in told.levels[depth].nodes}


def test_line_1_begins_with_nothing_at_value_1(told: Told) -> None:
    (root,) = told.levels[0].nodes
    assert root.state == State(subgraph=(), trajectory=(), value=1.0, depth=0)
    assert (root.number, root.parent, root.action, root.fate) == (0, None, None, Fate.KEPT)


def test_lines_7_to_12_execute_and_score_each_proposal(told: Told) -> None:
    assert told.node(LOOK).state.subgraph == GRAPH.triples_of(1, 2)
    assert told.node(PATH).state.subgraph == GRAPH.triples_of(1, 2, 3)
    assert told.node(VAGUE).state.subgraph == ()
    assert told.node(CHAIN).state.subgraph == GRAPH.triples_of(1, 2, 3)
    assert {node.state.depth for node in told.levels[2].nodes} == {2}


def test_lines_18_and_19_keep_the_best_two_of_the_first_level(told: Told) -> None:
    assert fates(told, 1) == {LOOK: (0.6, Fate.KEPT), VAGUE: (0.4, Fate.PRUNED), PATH: (0.7, Fate.KEPT)}


def test_second_level_pools_the_children_of_both_states(told: Told) -> None:
    # C = {In Lyon 0.5, the chain 0.8, In Paris 0.85, tea 0.3}
    assert fates(told, 2) == {
        GUESS: (0.5, Fate.PRUNED),
        CHAIN: (0.8, Fate.KEPT),
        WRONG: (0.85, Fate.KEPT),
        REST: (0.3, Fate.PRUNED),
    }


def test_line_15_keeps_a_terminal_state_in_the_pool_with_its_value(told: Told) -> None:
    # C = {In Paris 0.85 (kept from before), In Toulouse 0.95, Ana 0.6}: the terminal state is neither expanded nor scored.
    assert fates(told, 3) == {SURE: (0.95, Fate.KEPT), MORE: (0.6, Fate.PRUNED)}
    assert told.nodes[told.node(WRONG).number].fate is Fate.KEPT
    # One expansion at the root, two at the first level's beam, one at the second's: 3 + 2 + 2 + 2 proposals and scores.
    assert told.result.cost.calls == 2 * (3 + 4 + 2)


def test_lines_20_to_26_end_with_a_beam_of_answers_and_take_the_best(told: Told) -> None:
    best = told.result.best
    assert told.result.stopped_by is StopReason.ANSWERED
    assert best is not None
    assert best.state.answer == "In Toulouse"
    assert best.state.trajectory == (path("Ana", "Toulouse"), think("the chain"), answer("In Toulouse"))
    assert best.state.subgraph == GRAPH.triples_of(1, 2, 3)


def test_numbers_tell_the_order_of_the_proposals(told: Told) -> None:
    # The beam is expanded best first: the path (0.7) before the look (0.6).
    order = [steps(told.nodes[number].state)[-1] for number in sorted(told.nodes) if number]
    assert order == [LOOK, VAGUE, PATH, GUESS, CHAIN, WRONG, REST, SURE, MORE]
    assert told.node(SURE).parent == told.node(CHAIN).number


def test_line_3_ends_at_the_greatest_depth_and_line_24_takes_the_best_state_all_the_same() -> None:
    config = SearchConfig(beam_width=2, max_depth=1)
    told = searched(PLAN, VALUES, graph=GRAPH, config=config, entries=[GRAPH.entities["Ana"]])
    best = told.result.best
    assert told.result.stopped_by is StopReason.DEPTH
    assert best is not None
    assert steps(best.state) == (PATH,)
    assert not best.state.is_terminal


def test_appendix_b_expands_twelve_states_at_most() -> None:
    """With B = S = 3 and D_max = 5 the beam would be expanded 1 + 3 + 3 + 3 + 3 = 13 times; M_exp = 12 leaves one out."""
    told = searched(lambda done: [think(f"{'/'.join(done)}+{number}") for number in range(3)], config=SearchConfig())
    expanded = {node.parent for node in told.nodes.values() if node.parent is not None}
    assert len(expanded) == 12
    assert told.result.stopped_by is StopReason.DEPTH
    assert told.result.waits == 2 * 5
    assert told.result.cost.calls == 2 * 3 * 12
