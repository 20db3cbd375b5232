"""Turns a model's logits into verdicts: which output has which label, and the probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.core.errors import ModelUnfit
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
