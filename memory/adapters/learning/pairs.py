"""What recipes share that judge a pair of texts: a classifier of two texts that are read together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.adapters.learning.batching import fast_products, tensors
from memory.adapters.learning.minilm import encoder_of
from memory.adapters.readers.pieces import Pieces


def pair_network(base: Path, *, labels: int) -> Any:
    """Return a fresh network: the encoder, and a classifier of the first piece, in which both texts meet."""
    import torch
    from torch import nn

    class PairNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder_of(base)
            width = int(self.encoder.config.hidden_size)
            self.pooler = nn.Linear(width, width)
            self.drop = nn.Dropout(0.1)
            self.classifier = nn.Linear(width, labels)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            inputs = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            first = self.encoder(**inputs).last_hidden_state[:, 0]
            return self.classifier(self.drop(torch.tanh(self.pooler(first))))

    return PairNetwork()


def pair_loss(
    network: Any, pieces: Sequence[Pieces], labels: Sequence[int], *, smoothing: float, weights: Sequence[float] = ()
) -> Any:
    """Return the cross-entropy of the labels, smoothed; `weights`, one a label, say how much each counts."""
    import torch

    with fast_products():
        logits = network(**tensors(pieces))
    return torch.nn.functional.cross_entropy(
        logits.float(),
        torch.tensor(labels),
        weight=torch.tensor(weights) if weights else None,
        label_smoothing=smoothing,
    )


def pair_labels(network: Any, pieces: Sequence[Pieces]) -> list[int]:
    """Return the likeliest label of each pair, in full precision."""
    import torch

    found: list[int] = []
    with torch.inference_mode():
        for row in pieces:
            logits = network(**tensors([row]))
            found.append(int(logits.argmax()))
    return found
