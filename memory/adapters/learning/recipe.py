"""What the recipes of the learned readers share: how texts are cut, the order of batches, and the network with its heads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from memory.adapters.learning.batching import batches_of, chance_of
from memory.adapters.learning.digests import digest_of
from memory.adapters.learning.minilm import encoder_of, tokenizer_of
from memory.adapters.readers.pieces import Pieces

OWN = "own"
IGNORED = -100
IMPOSSIBLE = -1e4


class InPieces(Protocol):
    @property
    def pieces(self) -> Pieces: ...


LabelledT = TypeVar("LabelledT")
ExampleT = TypeVar("ExampleT")


class ReaderRecipe(ABC, Generic[LabelledT, ExampleT]):
    """Implements `Recipe` for a reader, which has its network, loss and examples of its own.

    `kind`, `window` and `first_room` are those of the finished reader.
    """

    kind: ClassVar[str]
    window: ClassVar[int]
    first_room: ClassVar[int]
    batch: ClassVar[int] = 16
    examples: Sequence[Any]

    def __init__(self, labelled: Sequence[LabelledT], *, base: Path) -> None:
        self.labelled = labelled
        self.base = base
        self.tokenizer = tokenizer_of(base)

    def identity(self) -> str:
        return digest_of(map(repr, self.labelled))

    def batches(self, epoch: int, *, seed: int) -> list[list[ExampleT]]:
        return batches_of(self.examples, size=self.batch, length=example_length, chance=chance_of(epoch, seed=seed))

    @abstractmethod
    def network(self) -> Any: ...

    @abstractmethod
    def loss(self, network: Any, batch: Any) -> Any: ...


def example_length(example: InPieces) -> int:
    return len(example.pieces.ids)


def headed_network(base: Path, heads: Mapping[str, int | Callable[[int], Any]]) -> Any:
    """Return a fresh network: the encoder, and its heads, which share a dropout.

    A head is a linear layer of so many outputs (0: as many as the encoder is wide), or what is made of that width.
    """
    from torch import nn

    class HeadedNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder_of(base)
            self.width = width = int(self.encoder.config.hidden_size)
            self.drop = nn.Dropout(0.1)
            for name, head in heads.items():
                self.add_module(name, head(width) if callable(head) else nn.Linear(width, head or width))

        def forward(self, **inputs: Any) -> Any:
            """Return a vector for each piece."""
            return self.encoder(**inputs).last_hidden_state

    return HeadedNetwork()


def padded_labels(rows: Sequence[Sequence[int]], shape: Sequence[int]) -> Any:
    """Return the labels of pieces as one tensor; what is beyond a row is ignored."""
    import torch

    labels = torch.full(tuple(shape), IGNORED)
    for place, row in enumerate(rows):
        labels[place, : len(row)] = torch.tensor(row)
    return labels
