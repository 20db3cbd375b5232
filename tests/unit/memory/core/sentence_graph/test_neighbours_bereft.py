"""A graph is restored from lists some of whose neighbours are gone, and is exact again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.core.sentence_graph.neighbours import NeighbourGraph, all_neighbours

DIMENSION = 4
POOL = np.random.default_rng(5).standard_normal((9, DIMENSION))
POOL = (POOL / np.linalg.norm(POOL, axis=1, keepdims=True)).astype(np.float32)


@given(
    drawn=st.lists(st.integers(0, len(POOL) - 1), min_size=1, max_size=24),
    leaving=st.sets(st.integers(0, 23)),
    k=st.integers(1, 4),
)
def test_lists_that_lost_a_neighbour_are_made_anew(drawn: list[int], leaving: set[int], k: int) -> None:
    ids = list(range(1, len(drawn) + 1))
    lists = all_neighbours(ids, POOL[drawn], k=k)
    left = [one for one in ids if one - 1 not in leaving]
    kept = {one: [near for near in lists[one] if near.id in left] for one in left}
    bereft = [one for one in left if len(kept[one]) < min(k, len(left) - 1)]
    graph = NeighbourGraph(k=k, dimension=DIMENSION)
    mended = graph.restore(left, POOL[[drawn[one - 1] for one in left]].reshape(-1, DIMENSION), kept, bereft=bereft)
    anew = all_neighbours(left, POOL[[drawn[one - 1] for one in left]].reshape(-1, DIMENSION), k=k)
    assert mended == {one: anew[one] for one in bereft}
    assert {one: graph.neighbours_of(one) for one in left} == anew
