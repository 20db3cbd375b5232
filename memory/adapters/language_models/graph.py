"""A language model that reads graphs beside its prompts (GA-DRG), as `manage.py train graph-generator` makes one."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memory.adapters.language_models.adapted import (
    BaseWeights,
    GraphReading,
    LoraSizes,
    adapted_network,
    base_weights,
    graph_of,
)
from memory.adapters.language_models.transformers import PromptRow, TransformersLanguageModel
from memory.adapters.language_models.weights import LoadedModel, load
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.grounded_generation.graph_encoder import GraphEncoderConfig
from memory.core.grounded_generation.text_graph import GraphEmbedding
from memory.core.ports import Embedder
from memory.core.types import Prompt

KIND = "graph_generator"
CONFIG_FILE, WEIGHTS_FILE = "config.json", "adapters.pt"


@dataclass(frozen=True)
class GraphModelConfig:
    """What a folder says of its weights: base, adapters, encoder, and the embedder whose vectors the encoder reads."""

    base: BaseWeights
    lora: LoraSizes
    encoder: GraphEncoderConfig
    embedder: str


def graph_model_write(folder: Path, network: Any, config: GraphModelConfig) -> None:
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), folder / WEIGHTS_FILE)
    content = json.dumps({"kind": KIND, **asdict(config)}, indent=1)
    (folder / CONFIG_FILE).write_text(f"{content}\n", encoding="utf-8")


def read_config(folder: Path) -> GraphModelConfig:
    """Return what a folder says of itself. Raises `ModelNotFound`, and `ModelUnfit` for the folder of another model."""
    path = folder / CONFIG_FILE
    if not path.is_file():
        raise ModelNotFound(
            f"The folder {folder} holds no model that reads graphs: it has no {CONFIG_FILE}. "
            "`manage.py train graph-generator` makes one."
        )
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["kind"] != KIND:
            raise ValueError(f"its kind is {told['kind']!r}")
        return GraphModelConfig(
            BaseWeights(**told["base"]),
            LoraSizes(**told["lora"]),
            GraphEncoderConfig(**told["encoder"]),
            told["embedder"],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnfit(
            f"The folder {folder} holds no model that reads graphs: {error}. Take one that "
            "`manage.py train graph-generator` wrote."
        ) from error


class GraphLanguageModel(TransformersLanguageModel):
    """A `LanguageModel` whose prompts may have a graph; one without is read by the base with its adapters."""

    def __init__(self, path: str, embedder: Embedder, device: str = "auto", batch_size: int = 16) -> None:
        self._folder = Path(path).expanduser()
        self._config = read_config(self._folder)
        if self._config.embedder != embedder.name:
            raise ModelUnfit(
                f"The graphs of {path} are embedded by {self._config.embedder}, and the embedder here is {embedder.name}."
            )
        try:
            super().__init__(self._config.base.name, device, batch_size)
        except ModelNotFound as error:
            raise ModelNotFound(
                f"The base of {path} is not at {self._config.base.name}. Name its place in {self._folder / CONFIG_FILE}."
            ) from error
        self.name = f"graph:{path}"
        self._embedding = GraphEmbedding(embedder)
        self._network: Any = None

    def _load(self) -> LoadedModel:
        with self._loading:
            if self._loaded is None:
                loaded = load(self._config.base.name, self._device)
                self._network = read_network(self._folder, loaded, self._config, self._embedding)
                self._loaded = replace(loaded, model=self._network.model)
            return self._loaded

    def _tokens(self, loaded: LoadedModel, prompt: Prompt, text: str) -> list[int]:
        tokens = super()._tokens(loaded, prompt, text)
        return tokens if graph_of(prompt) is None else [loaded.tokenizer.pad_token_id, *tokens]

    def _inputs(self, loaded: LoadedModel, rows: Sequence[PromptRow]) -> dict[str, Any]:
        read = super()._inputs(loaded, rows)
        graphs = [graph_of(row.prompt) for row in rows]
        return {**read, "inputs_embeds": self._network.vectors(read["input_ids"], read["attention_mask"], graphs)}


def read_network(folder: Path, loaded: LoadedModel, config: GraphModelConfig, embedding: GraphEmbedding) -> Any:
    """Return the network of a folder over its loaded base. Raises `ModelUnfit` for another base, or broken weights."""
    import torch

    base = base_weights(config.base.name)
    network = adapted_network(loaded, base, config.lora, graphs=GraphReading(config.encoder, embedding))
    try:
        kept = torch.load(folder / WEIGHTS_FILE, map_location="cpu", weights_only=True)
        network.load_state_dict(kept)
    except ModelUnfit:
        raise
    except Exception as error:
        # What a broken file raises is the library's own, and of any kind.
        raise ModelUnfit(f"The weights in {folder} cannot be read: {' '.join(str(error).split())[:300]}") from error
    return network.eval()
