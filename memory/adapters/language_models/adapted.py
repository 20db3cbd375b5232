"""A causal language model with LoRA (Hu et al., 2021), and with a graph encoder where it reads graphs (GA-DRG, section 3.3).

The vector of a graph stands before the embeddings of the text, as one token more. The weights of the language model stay as
they are; only the adapters and the encoder learn, and only they are kept, with the name and the digest of their base.
"""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.adapters.language_models.weights import LoadedModel
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.grounded_generation.graph_encoder import GraphEncoderConfig, graph_encoder
from memory.core.grounded_generation.text_graph import GraphEmbedding
from memory.core.types import Prompt, TextGraph

BASE = "base"
SAMPLED = 1 << 20


@dataclass(frozen=True)
class LoraSizes:
    """How large the adapters are. Defaults: GA-DRG's, section 4.5."""

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.05


@dataclass(frozen=True)
class BaseWeights:
    """The model that adapters belong to: where it is, and a digest of its files."""

    name: str
    digest: str


@dataclass(frozen=True)
class GraphReading:
    """How graphs are read: the sizes of the encoder, and what embeds their words."""

    encoder: GraphEncoderConfig
    embedding: GraphEmbedding


def base_weights(path_or_id: str) -> BaseWeights:
    """Return the name and digest of a model's weights: of the size, the first and the last megabyte of each of its files."""
    from transformers.utils import cached_file

    folder = Path(path_or_id).expanduser()
    if not folder.is_dir():
        folder = Path(cached_file(path_or_id, "config.json", local_files_only=True)).parent
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))
    if not files:
        raise ModelNotFound(f"The model {path_or_id} has no file of weights (*.safetensors or *.bin).")
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            size = path.stat().st_size
            digest.update(f"{path.name} {size} ".encode() + file.read(SAMPLED))
            file.seek(max(0, size - SAMPLED))
            digest.update(file.read())
    name = str(folder.resolve()) if Path(path_or_id).expanduser().is_dir() else path_or_id
    return BaseWeights(name, digest.hexdigest()[:16])


def graph_of(prompt: Prompt) -> TextGraph | None:
    """Return the graph of a prompt, or None for one without nodes: there is nothing in it to read."""
    return prompt.graph if prompt.graph is not None and prompt.graph.nodes else None


def adapted_network(
    loaded: LoadedModel, base: BaseWeights, lora: LoraSizes, *, graphs: GraphReading | None = None
) -> Any:
    """Return a loaded model with fresh adapters put into it, and with a fresh encoder where it is to read graphs.

    A module whose state is what it learned. `load_state_dict` raises `ModelUnfit` for that of another base.
    """
    import torch
    from torch import nn

    class AdaptedNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.adapted = with_lora(loaded.model, lora)
            if graphs is not None:
                self.encoder = graph_encoder(graphs.encoder).to(loaded.device)
                self.embedding = graphs.embedding

        @property
        def model(self) -> Any:
            return self.adapted.get_base_model()

        def vectors(self, tokens: Any, mask: Any, graphs: Sequence[TextGraph | None]) -> Any:
            """Return the embeddings of tokens; a row's graph takes the place of its first token."""
            found = self.model.get_input_embeddings()(tokens)
            read = {row: graph for row, graph in enumerate(graphs) if graph is not None}
            if not read:
                return found
            rows = torch.tensor(list(read), device=found.device)
            return found.index_put((rows, mask.argmax(dim=1)[rows]), self.encoded([*read.values()]).to(found.dtype))

        def encoded(self, graphs: Sequence[TextGraph]) -> Any:
            read = self.embedding.embedded(graphs)
            arrays = (read.nodes, read.edges, read.relations, read.owners)
            device = next(self.encoder.parameters()).device
            return self.encoder(*(torch.from_numpy(part).to(device) for part in arrays), count=len(graphs))

        def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            learned = {name: value.detach() for name, value in self.named_parameters() if value.requires_grad}
            return {**learned, BASE: {"name": base.name, "digest": base.digest}}

        def load_state_dict(self, kept: Mapping[str, Any], *args: Any, **kwargs: Any) -> None:
            check_base(kept[BASE], base)
            learned = {name: value for name, value in kept.items() if name != BASE}
            if learned.keys() != self.state_dict().keys() - {BASE}:
                raise RuntimeError("it has other adapters")
            super().load_state_dict(learned, strict=False)

    return AdaptedNetwork()


def with_lora(model: Any, sizes: LoraSizes) -> Any:
    """Return a model of peft around a model, with fresh adapters on the layers that are usual for its kind, else on all."""
    from peft import LoraConfig, TaskType, get_peft_model
    from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as USUAL

    config = LoraConfig(
        task_type=TaskType.CAUSAL_LM,
        r=sizes.rank,
        lora_alpha=sizes.alpha,
        lora_dropout=sizes.dropout,
        target_modules=None if model.config.model_type in USUAL else "all-linear",
    )
    with warnings.catch_warnings():
        # peft asks transformers for what transformers will call otherwise.
        warnings.simplefilter("ignore", FutureWarning)
        return get_peft_model(model, config)


def check_base(kept: Mapping[str, str], base: BaseWeights) -> None:
    """Raise `ModelUnfit`, with both names, where weights belong to another base."""
    if kept["digest"] != base.digest:
        raise ModelUnfit(
            f"These weights were trained on {kept['name']} ({kept['digest']}), and {base.name} ({base.digest}) is another "
            "model. Take the one that they were trained on."
        )
