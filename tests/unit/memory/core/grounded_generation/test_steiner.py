"""The prize-collecting Steiner tree, held against every part of small graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from memory.core.grounded_generation.g_retriever import CostlyEdge, SteinerTree, steiner_tree


def loss_of(tree: SteinerTree, prizes: Sequence[float], edges: Sequence[CostlyEdge]) -> float:
    left = sum(prize for node, prize in enumerate(prizes) if node not in tree.nodes)
    return left + sum(edges[place].cost for place in tree.edges)


def least_loss(prizes: Sequence[float], edges: Sequence[CostlyEdge]) -> float:
    """Return the least loss of all connected sets of nodes, each with its cheapest tree, and of nothing at all."""
    best = sum(prizes)
    for chosen in range(1, 1 << len(prizes)):
        roots = {node: node for node in range(len(prizes)) if chosen >> node & 1}

        def root(node: int, roots: dict[int, int] = roots) -> int:
            while roots[node] != node:
                node = roots[node]
            return node

        cost = sum(prize for node, prize in enumerate(prizes) if node not in roots)
        apart = len(roots) - 1
        for edge in sorted(edges, key=lambda edge: edge.cost):
            if edge.start in roots and edge.end in roots and root(edge.start) != root(edge.end):
                roots[root(edge.start)] = root(edge.end)
                cost, apart = cost + edge.cost, apart - 1
        best = min(best, cost) if apart == 0 else best
    return best


def is_tree(tree: SteinerTree, edges: Sequence[CostlyEdge]) -> bool:
    """Return whether edges join all nodes, with one edge less than nodes."""
    reached = set(list(tree.nodes)[:1])
    for _ in tree.nodes:
        reached |= {
            node
            for place in tree.edges
            for node in (edges[place].start, edges[place].end)
            if {edges[place].start, edges[place].end} & reached
        }
    return reached == tree.nodes and len(tree.edges) == max(0, len(tree.nodes) - 1)


def drawn(seed: int, *, is_one_tree: bool = False) -> tuple[list[float], list[CostlyEdge]]:
    chance = random.Random(seed)
    count = chance.randint(1, 8)
    prizes = [chance.choice([0, 0, 3 * chance.random(), chance.randint(0, 4)]) for _ in range(count)]
    ends = (
        [(node, chance.randrange(node)) for node in range(1, count)]
        if is_one_tree
        else [(chance.randrange(count), chance.randrange(count)) for _ in range(chance.randint(0, 16))]
    )
    return prizes, [CostlyEdge(*pair, chance.choice([0, 0.5, 3 * chance.random()])) for pair in ends]


@pytest.mark.parametrize("is_one_tree", [True, False])
def test_tree_loses_less_than_twice_the_least_and_on_trees_the_least(is_one_tree: bool):
    for seed in range(150):
        prizes, edges = drawn(seed, is_one_tree=is_one_tree)
        tree, least = steiner_tree(prizes, edges), least_loss(prizes, edges)
        loss = loss_of(tree, prizes, edges)
        assert is_tree(tree, edges), seed
        assert tree.worth == pytest.approx(sum(prizes) - loss), seed
        assert loss <= (least if is_one_tree else 2 * least) + 1e-9, seed


def test_what_costs_more_than_it_brings_is_cut_off():
    prizes = [3.0, 0.0, 2.0, 0.4]
    edges = [CostlyEdge(0, 1, 0.5), CostlyEdge(1, 2, 0.5), CostlyEdge(2, 3, 0.5), CostlyEdge(0, 0, 0.0)]
    assert steiner_tree(prizes, edges) == SteinerTree(frozenset({0, 1, 2}), frozenset({0, 1}), 4.0)


def test_graph_without_prizes_gives_nothing_and_one_without_edges_its_best_node():
    assert steiner_tree([0.0, 0.0], [CostlyEdge(0, 1, 0.0)]) == SteinerTree()
    assert steiner_tree([], []) == SteinerTree()
    assert steiner_tree([1.0, 2.0], []) == SteinerTree(frozenset({1}), frozenset(), 2.0)
