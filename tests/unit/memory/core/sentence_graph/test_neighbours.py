"""The k nearest others of every sentence, kept exact while sentences come and go."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.core.sentence_graph import neighbours
from memory.core.sentence_graph.neighbours import NeighbourGraph, all_neighbours
from memory.core.similarity import dot_products, nearest_rows
from memory.core.types import Neighbour
from tests.hypothesis_profiles import examples

DIMENSION = 5
Vectors = dict[int, NDArray[np.float32]]


def unit(vector: Sequence[float]) -> NDArray[np.float32]:
    found = np.array(vector, np.float64)
    length = np.linalg.norm(found)
    return (found / length if length else found).astype(np.float32)


def brute_force(vectors: Vectors, k: int) -> dict[int, list[Neighbour]]:
    """Every pair, sorted: what the definition says and nothing else."""
    lists = {}
    for one, vector in vectors.items():
        pairs = [
            Neighbour(id=other, similarity=float(dot_products(vector[None], beside[None])[0]))
            for other, beside in vectors.items()
            if other != one
        ]
        lists[one] = sorted(pairs, key=lambda pair: (-pair.similarity, pair.id))[:k]
    return lists


def lists_of(graph: NeighbourGraph, ids: Sequence[int]) -> dict[int, list[Neighbour]]:
    return {one: graph.neighbours_of(one) for one in ids}


def pool() -> list[NDArray[np.float32]]:
    """Few vectors, so that draws repeat: random ones, near-ties of one another, opposites, the zero."""
    random = np.random.default_rng(3)
    apart = [unit(random.normal(size=DIMENSION)) for _ in range(6)]
    close = [unit(apart[0] + 1e-7 * random.normal(size=DIMENSION)) for _ in range(6)]
    axes = [unit([1, 0, 0, 0, 0]), unit([0, 1, 0, 0, 0]), unit([-1, 0, 0, 0, 0]), unit([-1, -0.0, 0, -0.0, 0])]
    return [*apart, *close, *axes, unit([0] * DIMENSION), -unit([0] * DIMENSION)]


POOL = pool()
CHANGES = st.lists(
    st.one_of(
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, len(POOL) - 1)), min_size=1, max_size=12),
        st.lists(st.integers(0, 40), min_size=1, max_size=8),
    ),
    max_size=10,
)


@settings(max_examples=examples(100))
@given(
    there=st.lists(st.integers(0, len(POOL) - 1), max_size=20),
    new=st.lists(st.integers(0, len(POOL) - 1), min_size=1, max_size=12),
    between=CHANGES,
    k=st.integers(1, 6),
)
def test_what_was_compared_ahead_of_an_addition_changes_nothing(
    there: list[int], new: list[int], between: list[list[tuple[int, int]] | list[int]], k: int
) -> None:
    graph = NeighbourGraph(k=k, dimension=DIMENSION)
    vectors: Vectors = {one: POOL[number] for one, number in enumerate(there)}
    added: Vectors = {one: POOL[number] for one, number in enumerate(new, start=100)}
    graph.add(list(vectors), np.array([*vectors.values()], np.float32).reshape(-1, DIMENSION))
    glance = graph.glance(np.array([*added.values()], np.float32))
    for change in between:
        if isinstance(change[0], tuple):
            some = {one: POOL[number] for one, number in change if one not in vectors}  # type: ignore[misc]
            graph.add(list(some), np.array([*some.values()], np.float32).reshape(-1, DIMENSION))
            vectors |= some
        else:
            gone = set(change) & vectors.keys()  # type: ignore[arg-type]
            graph.remove(gone)
            vectors = {one: vector for one, vector in vectors.items() if one not in gone}
    graph.add(list(added), np.array([*added.values()], np.float32), glance=glance.look())
    vectors |= added
    assert lists_of(graph, list(vectors)) == brute_force(vectors, k)


@pytest.mark.parametrize("moves", [False, True])
def test_rows_that_were_compared_are_not_compared_again_unless_one_has_moved(
    moves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(5)
    vectors = np.array([unit(random.normal(size=DIMENSION)) for _ in range(12)])
    graph = NeighbourGraph(k=2, dimension=DIMENSION)
    graph.add(range(8), vectors[:8])
    glance = graph.glance(vectors[10:]).look()
    graph.add([8, 9], vectors[8:10])
    if moves:
        graph.remove([0])
    compared: list[int] = []
    approximate = neighbours._approximate
    monkeypatch.setattr(
        neighbours, "_approximate", lambda new, rows, found: (compared.append(len(rows)), approximate(new, rows, found))
    )
    graph.add([10, 11], vectors[10:], glance=glance)
    assert compared == [11 if moves else 4]


@settings(max_examples=examples(150))
@given(changes=CHANGES, k=st.integers(1, 6))
def test_lists_are_those_of_brute_force_after_any_changes_and_exactly_the_changed_are_told(
    changes: list[list[tuple[int, int]] | list[int]], k: int
) -> None:
    graph, there = NeighbourGraph(k=k, dimension=DIMENSION), Vectors()
    told: dict[int, list[Neighbour]] = {}
    for change in changes:
        before = brute_force(there, k)
        if isinstance(change[0], tuple):
            new = {one: POOL[number] for one, number in change if one not in there}  # type: ignore[misc]
            there.update(new)
            said = graph.add(list(new), np.array([*new.values()], np.float32).reshape(-1, DIMENSION))
        else:
            leaving = [one for one in set(change) if one in there]  # type: ignore[comparison-overlap]
            there = {one: vector for one, vector in there.items() if one not in leaving}
            said = graph.remove(leaving)  # type: ignore[arg-type]
            new = {}
        after = brute_force(there, k)
        assert said == {one: after[one] for one in after if one in new or before[one] != after[one]}
        told = {one: said.get(one, told.get(one, [])) for one in there}
        assert told == after == lists_of(graph, list(there))
        assert len(graph) == len(there)


@settings(max_examples=examples(100))
@given(
    drawn=st.lists(st.integers(0, len(POOL) - 1), max_size=30),
    more=st.lists(st.integers(0, len(POOL) - 1), max_size=6),
    k=st.integers(1, 5),
)
def test_a_restored_graph_goes_on_like_the_one_that_it_was_restored_from(
    drawn: list[int], more: list[int], k: int
) -> None:
    vectors = np.array([POOL[number] for number in drawn], np.float32).reshape(-1, DIMENSION)
    ids = list(range(10, 10 + len(drawn)))
    lists = all_neighbours(ids, vectors, k=k)
    graph = NeighbourGraph(k=k, dimension=DIMENSION)
    graph.restore(ids, vectors, lists)
    assert lists_of(graph, ids) == lists == brute_force(dict(zip(ids, vectors, strict=True)), k)
    new = {one: POOL[number] for one, number in enumerate(more)}
    graph.add(list(new), np.array([*new.values()], np.float32).reshape(-1, DIMENSION))
    graph.remove(ids[::2])
    there = {**dict(zip(ids[1::2], vectors[1::2], strict=True)), **new}
    assert lists_of(graph, list(there)) == brute_force(there, k)


def test_edges_leave_a_sentence_for_its_nearest_and_need_not_come_back() -> None:
    vectors = {1: unit([1, 0, 0, 0, 0]), 2: unit([1, 0.2, 0, 0, 0]), 3: unit([1, 0.3, 0, 0, 0])}
    lists = all_neighbours(list(vectors), np.array(list(vectors.values())), k=1)
    assert {one: near[0].id for one, near in lists.items()} == {1: 2, 2: 3, 3: 2}
    assert lists[1][0].similarity == pytest.approx(1 / np.sqrt(1.04))


def test_an_identical_later_sentence_displaces_nobody() -> None:
    vectors = {1: unit([1, 0, 0, 0, 0]), 2: unit([1, 0.2, 0, 0, 0])}
    graph = NeighbourGraph(k=1, dimension=DIMENSION)
    graph.add(list(vectors), np.array(list(vectors.values())))
    changed = graph.add([3], np.array([vectors[2]]))
    assert changed == {2: [Neighbour(3, changed[3][0].similarity)], 3: [Neighbour(2, changed[3][0].similarity)]}
    assert [one.id for one in graph.neighbours_of(1)] == [2]


def test_a_sentence_that_nobody_neighboured_leaves_without_a_change() -> None:
    vectors = np.array([unit([1, 0, 0, 0, 0]), unit([1, 0.1, 0, 0, 0]), unit([0, 0, 1, 0, 0])])
    graph = NeighbourGraph(k=1, dimension=DIMENSION)
    graph.add([1, 2, 3], vectors)
    assert graph.remove([3]) == {}
    assert graph.remove([2]) == {1: []}


def test_fifty_thousand_identical_sentences_cost_what_one_costs() -> None:
    vectors = np.repeat(unit([1, 2, 3, 4, 5])[None], 50_000, axis=0)
    graph = NeighbourGraph(k=3, dimension=DIMENSION)
    graph.add(range(10, 50_010), vectors)
    began = time.process_time()
    changed = graph.add([60_000], vectors[:1])
    assert time.process_time() - began < 0.5
    assert {one: [near.id for near in lists] for one, lists in changed.items()} == {60_000: [10, 11, 12]}
    assert [near.id for near in graph.neighbours_of(11)] == [10, 12, 13]
    assert set(graph.remove([40_000])) == set()
    assert set(graph.remove([13])) == {10, 11, 12}  # all others see 10, 11 and 12


def test_sums_are_the_same_bits_in_any_company_and_either_way() -> None:
    random = np.random.default_rng(1)
    left, right = (random.normal(size=(200, 384)).astype(np.float32) for _ in range(2))
    together = dot_products(left, right)
    alone = [dot_products(right[row : row + 1], left[row : row + 1])[0] for row in range(200)]
    assert together.tolist() == alone
    assert together == pytest.approx((left.astype(float) * right).sum(axis=1), abs=1e-12)


def test_three_hundred_dimensions_and_many_batches_agree_with_one() -> None:
    random = np.random.default_rng(2)
    vectors = random.normal(size=(700, 300)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = list(range(700))
    at_once = all_neighbours(ids, vectors, k=3)
    graph = NeighbourGraph(k=3, dimension=300)
    for start in range(0, 700, 3):
        graph.add(ids[start : start + 3], vectors[start : start + 3])
    assert lists_of(graph, ids) == at_once
    best = np.argsort(-(vectors @ vectors.T), axis=1)[:, 1:4]
    assert [[near.id for near in at_once[one]] for one in ids] == best.tolist()


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    graph = NeighbourGraph(k=2, dimension=2)
    graph.add([1, 2], np.array([unit([1, 0]), unit([0, 1])]))
    with pytest.raises(ValueError, match="unit vector"):
        graph.add([3], np.array([[3, 4]], np.float32))
    with pytest.raises(ValueError, match="unit vector"):
        graph.add([3], np.array([[np.nan, 0]], np.float32))
    with pytest.raises(ValueError, match="once"):
        graph.add([2], np.array([unit([1, 0])]))
    with pytest.raises(ValueError, match="once"):
        graph.add([3, 3], np.array([unit([1, 0]), unit([1, 0])]))
    with pytest.raises(ValueError, match="shape"):
        graph.add([3], np.array([[1, 0, 0]], np.float32))
    with pytest.raises(KeyError):
        graph.remove([1, 9])
    assert len(graph) == 2
    assert [near.id for near in graph.neighbours_of(1)] == [2]


@pytest.mark.parametrize("lists", [{}, {1: [], 2: []}, {1: [Neighbour(2, 0.0)], 2: [Neighbour(7, 0.0)]}])
def test_lists_of_other_sentences_are_not_restored(lists: dict[int, list[Neighbour]]) -> None:
    graph = NeighbourGraph(k=2, dimension=2)
    with pytest.raises(ValueError, match="do not fit 2 sentences"):
        graph.restore([1, 2], np.array([unit([1, 0]), unit([0, 1])]), lists)
    assert len(graph) == 0


@given(
    drawn=st.lists(st.integers(0, len(POOL) - 1), max_size=20),
    asked=st.integers(0, len(POOL) - 1),
    limit=st.integers(0, 9),
)
def test_nearest_rows_are_those_of_sorting_all_and_equals_keep_their_order(
    drawn: list[int], asked: int, limit: int
) -> None:
    vectors = np.array([POOL[number] for number in drawn], np.float32).reshape(-1, DIMENSION)
    exact = [float(dot_products(POOL[asked][None], vector[None])[0]) for vector in vectors]
    rows, found = nearest_rows(POOL[asked], vectors, limit=limit)
    assert rows.tolist() == sorted(range(len(drawn)), key=lambda row: (-exact[row], row))[:limit]
    assert found.tolist() == [exact[row] for row in rows]
