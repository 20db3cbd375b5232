"""The order of training: shuffled by seed and epoch, batches of alike examples."""

from __future__ import annotations

from itertools import pairwise

from memory.adapters.learning.recipe import BATCHES_A_CHUNK, batches_of, chance_of

NUMBERS = tuple(range(1, 700))


def batches(epoch: int = 0, seed: int = 0) -> list[list[int]]:
    return batches_of(NUMBERS, size=8, length=lambda number: number, chance=chance_of(epoch, seed=seed))


def test_order_follows_from_seed_and_epoch() -> None:
    assert batches() == batches()
    assert batches() != batches(epoch=1)
    assert batches() != batches(seed=1)
    assert sorted(number for batch in batches() for number in batch) == list(NUMBERS)


def test_examples_of_a_batch_are_alike_and_batches_shuffled() -> None:
    chunk = batches()[:BATCHES_A_CHUNK]
    assert all(before[-1] < after[0] for before, after in pairwise(sorted(chunk)))
    assert chunk != sorted(chunk)
