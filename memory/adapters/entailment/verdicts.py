"""Turns a model's logits into verdicts: which output has which label, and the probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.core.errors import ModelUnfit, TextTooLong
from memory.core.types import EntailmentLabel, EntailmentVerdict

LABELS = tuple(EntailmentLabel)


def label_order(id2label: Mapping[int, str], *, model: str) -> tuple[int, ...]:
    """Return the indices of the outputs for entailment, neutral and contradiction, by the names in the model's config.

    Raises `ModelUnfit` unless the config names exactly these three.
    """
    by_name = {str(name).strip().casefold(): int(place) for place, name in id2label.items()}
    if len(id2label) != len(LABELS) or set(by_name) != set(LABELS):
        named = ", ".join(str(name) for name in id2label.values()) or "none"
        raise ModelUnfit(
            f"The model {model} has the labels {named}. An entailment model names entailment, neutral and contradiction "
            "in the id2label of its config.json. Check DSMART_ENTAILMENT."
        )
    return tuple(by_name[label] for label in LABELS)


def verdicts(logits: NDArray[np.float64], *, temperature: float = 1.0) -> list[EntailmentVerdict]:
    """Return the verdicts of logits, shape (pairs, 3), in the order of `EntailmentLabel`."""
    return [EntailmentVerdict(*map(float, row)) for row in probabilities(logits, temperature=temperature)]


def probabilities(logits: NDArray[np.float64], *, temperature: float = 1.0) -> NDArray[np.float64]:
    scaled = np.asarray(logits, dtype=np.float64).reshape(-1, len(LABELS)) / temperature
    raised = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return shares


def in_order(logits: NDArray[np.floating], order: Sequence[int]) -> NDArray[np.float64]:
    """Return the columns of a model's outputs in the order of `EntailmentLabel`."""
    return np.asarray(logits, dtype=np.float64)[:, list(order)]


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
