"""Fits a premise and a hypothesis into a model's window: the whole hypothesis, and as much of the premise's end as fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.core.errors import TextTooLong

# Word pieces of one batch, counted with its padding: what a batch of long premises takes in memory stays bounded.
BATCH_TOKENS = 4_096
BATCH_PAIRS = 32


def premise_room(hypothesis_tokens: int, *, window: int, special_tokens: int) -> int:
    """Return the number of word pieces left for the premise. Raises `TextTooLong` where there is no room for one."""
    room = window - special_tokens - hypothesis_tokens
    if room < 1:
        raise TextTooLong(
            f"The hypothesis has {hypothesis_tokens:,} word pieces, and the model reads {window:,} with its premise."
        )
    return room


def batches_by_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of indices of similar lengths, shortest first."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_PAIRS or lengths[place] * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
