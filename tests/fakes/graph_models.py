"""A tiny language model that can be taught in seconds, and one of it that reads graphs, untaught."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.language_models.adapted import BaseWeights, GraphReading, LoraSizes, adapted_network, base_weights
from memory.adapters.language_models.graph import KIND, GraphModelConfig, graph_model_write
from memory.adapters.language_models.weights import load
from memory.core.grounded_generation.graph_encoder import GraphEncoderConfig
from memory.core.grounded_generation.text_graph import GraphEmbedding
from tests.unit.memory.adapters.language_models.conftest import build_tiny_qwen3

WIDTH = 16


class DrawnVectors:
    """An embedder that draws a unit vector for each text, always the same."""

    name = "drawn"
    dimension = WIDTH

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=WIDTH) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(len(texts), WIDTH)


def build_teachable(folder: Path, *, seed: int = 0) -> Path:
    """Write a tiny Qwen3 whose every token can be learned."""
    import torch

    loaded = load(str(build_tiny_qwen3(folder)), "cpu")
    torch.manual_seed(seed)
    torch.nn.init.normal_(loaded.model.lm_head.weight, std=0.3)
    loaded.model.save_pretrained(folder)
    return folder


def reading(base_width: int = 64, embedder: Any = None) -> GraphReading:
    embedding = GraphEmbedding(embedder or DrawnVectors())
    width = embedding.embedder.dimension
    return GraphReading(GraphEncoderConfig(width=width, out=base_width, layers=2), embedding)


def tell_of_graph_model(folder: Path, embedder: str) -> Path:
    """Write what the folder of a model that reads graphs says of itself, with a base, and no weights of either."""
    base = folder / "base"
    base.mkdir(parents=True)
    (base / "config.json").write_text("{}")
    config = GraphModelConfig(BaseWeights(str(base), "0"), LoraSizes(), GraphEncoderConfig(384, 64), embedder)
    (folder / "config.json").write_text(json.dumps({"kind": KIND, **asdict(config)}))
    return folder


def build_graph_model(folder: Path, base: Path, *, embedder: Any = None, loud: float = 30.0) -> Path:
    """Write a model that reads graphs over a base, untaught; `loud` makes what it reads of them matter."""
    import torch

    torch.manual_seed(0)
    graphs, weights = reading(embedder=embedder), base_weights(str(base))
    network = adapted_network(load(str(base), "cpu"), weights, LoraSizes(), graphs=graphs)
    with torch.no_grad():
        network.encoder.projector[-1].weight *= loud
    name = graphs.embedding.embedder.name
    graph_model_write(folder, network, GraphModelConfig(weights, LoraSizes(), graphs.encoder, name))
    return folder
