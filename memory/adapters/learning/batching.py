"""The order of training: batches of examples of similar length, so that little of them is padding."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from memory.adapters.readers.pieces import Pieces, padded

T = TypeVar("T")
BATCHES_A_CHUNK = 40


def chance_of(epoch: int, *, seed: int) -> random.Random:
    """Return the random numbers of an epoch, the same for the same seed."""
    return random.Random(1000 * (seed + 1) + epoch)


def batches_of(examples: Sequence[T], *, size: int, length: Callable[[T], int], chance: random.Random) -> list[list[T]]:
    """Return shuffled examples in batches; within every forty they are sorted by length and the batches shuffled."""
    shuffled = list(examples)
    chance.shuffle(shuffled)
    batches: list[list[T]] = []
    many = size * BATCHES_A_CHUNK
    for start in range(0, len(shuffled), many):
        chunk = sorted(shuffled[start : start + many], key=length)
        in_order = [chunk[first : first + size] for first in range(0, len(chunk), size)]
        chance.shuffle(in_order)
        batches += in_order
    return batches


def tensors(rows: Sequence[Pieces]) -> dict[str, Any]:
    """Return the network's inputs for one batch."""
    import torch

    return {name: torch.from_numpy(part) for name, part in padded(rows).items()}


def fast_products() -> AbstractContextManager[Any]:
    """Return the context of a training step: products are taken in bfloat16 where the processor has such instructions.

    Elsewhere they are imitated, which takes several times as long as full precision.
    """
    import torch

    return torch.autocast("cpu", torch.bfloat16) if torch.cpu._is_avx512_bf16_supported() else nullcontext()
