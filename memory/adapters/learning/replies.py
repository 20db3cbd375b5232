"""The recipe of adapters: (prompt, reply) -> a causal language model that writes such replies.

The loss is the cross-entropy of the reply's tokens and of the one that ends it (GA-DRG, equation 11); the prompt is read, not
learned. On a GPU products are in bfloat16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.adapters.language_models.adapted import BaseWeights, GraphReading, LoraSizes, adapted_network, graph_of
from memory.adapters.language_models.chat_format import chat_text, reply_tokens, tokens_of
from memory.adapters.language_models.weights import LoadedModel
from memory.adapters.learning.label_files import digest_of, is_drawn
from memory.adapters.learning.recipe import batches_of, chance_of
from memory.core.types import Prompt, TextGraph

HELD_OUT_ONE_IN = 10
UNLEARNED = -100


@dataclass(frozen=True)
class LabelledReply:
    """A prompt with the reply to it. `group` tells what is held out together."""

    prompt: Prompt
    reply: str
    source: str
    group: str

    @property
    def is_held_out(self) -> bool:
        return is_drawn(self.group, one_in=HELD_OUT_ONE_IN)


@dataclass(frozen=True)
class ReplyRow:
    """A labelled reply in tokens. Where there is a graph, the first token keeps its place."""

    prompt: list[int]
    reply: list[int]
    graph: TextGraph | None

    def __len__(self) -> int:
        return len(self.prompt) + len(self.reply)


@dataclass(frozen=True)
class ReplySizes:
    """Examples a step, and the most tokens of one."""

    batch: int = 4
    longest: int = 2_048


def row_of(one: LabelledReply, tokenizer: Any) -> ReplyRow:
    graph = graph_of(one.prompt)
    tokens = tokens_of(tokenizer, chat_text(tokenizer, one.prompt))
    room = [] if graph is None else [tokenizer.pad_token_id]
    return ReplyRow([*room, *tokens], reply_tokens(tokenizer, one.reply), graph)


class ReplyRecipe:
    """Implements `Recipe` for a model that is loaded already, into which the adapters are put. One recipe is one training."""

    def __init__(
        self,
        rows: Sequence[ReplyRow],
        *,
        loaded: LoadedModel,
        base: BaseWeights,
        lora: LoraSizes,
        sizes: ReplySizes,
        graphs: GraphReading | None = None,
    ) -> None:
        self._rows = rows
        self._loaded = loaded
        self._base = base
        self._lora = lora
        self._sizes = sizes
        self._graphs = graphs

    def identity(self) -> str:
        return digest_of(map(repr, (*self._rows, self._lora, self._sizes, self._graphs and self._graphs.encoder)))

    def network(self) -> Any:
        return adapted_network(self._loaded, self._base, self._lora, graphs=self._graphs)

    def batches(self, epoch: int, *, seed: int) -> list[list[ReplyRow]]:
        return batches_of(self._rows, size=self._sizes.batch, length=len, chance=chance_of(epoch, seed=seed))

    def loss(self, network: Any, batch: Sequence[ReplyRow]) -> Any:
        return reply_loss(network, batch)


def reply_loss(network: Any, rows: Sequence[ReplyRow]) -> Any:
    """Return the mean cross-entropy of the tokens of replies."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    device = network.model.device
    tokens, labels, mask = (
        pad_sequence([torch.tensor(part) for part in parts], batch_first=True, padding_value=padding).to(device)
        for parts, padding in (
            ([[*row.prompt, *row.reply] for row in rows], 0),
            ([[*[UNLEARNED] * len(row.prompt), *row.reply] for row in rows], UNLEARNED),
            ([[1] * len(row) for row in rows], 0),
        )
    )
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        vectors = network.vectors(tokens, mask, [row.graph for row in rows])
        return network.model(inputs_embeds=vectors, attention_mask=mask, labels=labels, use_cache=False).loss.float()


def held_out_losses(network: Any, rows: Sequence[ReplyRow]) -> list[float]:
    """Return the loss of each row, alone."""
    import torch

    with torch.inference_mode():
        return [float(reply_loss(network, [row])) for row in rows]
