"""The weights of a finished model, read back from its int8 files, so that a training can begin where another ended.

Matrix products come back to within half a step of their scale of 128 numbers. Word embeddings stay those of the base: no
training moves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.learning.label_files import digest_of
from memory.adapters.learning.loop import Recipe
from memory.adapters.readers.encoder import HEADS_FILE
from memory.core.errors import TrainingRefused

# By so much the numbers of a product are raised before they are kept as bytes.
ZERO = 128
WORDS = "embeddings.word_embeddings"


class BegunFrom:
    """Implements `Recipe` as another does, but that its network begins with the weights of a finished model's folder."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self._recipe = recipe
        self._folder = folder
        self._weights = finished_weights(folder)
        self.batches = recipe.batches
        self.loss = recipe.loss

    def identity(self) -> str:
        parts = (f"{name}{values.tobytes().hex()}" for name, values in sorted(self._weights.items()))
        return digest_of([self._recipe.identity(), *parts])

    def network(self) -> Any:
        """Return the network with the finished weights. Raises `TrainingRefused` where these are of another network."""
        import torch

        network = self._recipe.network()
        try:
            told = network.load_state_dict(
                {name: torch.from_numpy(values) for name, values in self._weights.items()}, strict=False
            )
        except RuntimeError as error:
            raise TrainingRefused(f"{self._folder} holds the weights of another network.") from error
        lacking = [name for name in told.missing_keys if WORDS not in name]
        if lacking or told.unexpected_keys:
            strange = (lacking or told.unexpected_keys)[0]
            raise TrainingRefused(f"{self._folder} holds the weights of another network: {strange} differs.")
        return network

    def averaged(self, network: Any, *, share: float) -> Any:
        """Return the network with each weight moved towards what it began with, by `share` of the way, from 0 to 1.

        What a training forgets of the earlier one comes back, at little cost of what it learned (WiSE-FT, Wortsman et al.,
        2022).
        """
        import torch

        trained = network.state_dict()
        begun = {name: torch.from_numpy(values) for name, values in self._weights.items()}
        network.load_state_dict({name: torch.lerp(trained[name], begun[name], share) for name in begun}, strict=False)
        return network


def finished_weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a model's folder by the names that its network has for them, but for the word embeddings.

    Raises `TrainingRefused` for a folder without a finished model.
    """
    networks = sorted(folder.glob("*.onnx"))
    if not networks:
        raise TrainingRefused(f"{folder} holds no finished model (*.onnx) to begin from.")
    weights = dict(_of_network(networks[0]))
    if (folder / HEADS_FILE).is_file():
        with np.load(folder / HEADS_FILE) as heads:
            weights.update({name: heads[name].astype(np.float32) for name in heads.files})
    return weights


def _of_network(path: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(path).graph
    kept = {tensor.name: to_array(tensor) for tensor in graph.initializer}
    added = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
    for name, values in kept.items():
        if name.endswith((".weight", ".bias")):
            yield name, values.astype(np.float32)
        elif name.endswith(".steps") and WORDS not in name:
            scale = kept[name.removesuffix("steps") + "scale"]
            yield name.removesuffix("steps") + "weight", values.astype(np.float32) * scale
    for node in graph.node:
        if node.op_type == "MatMulNBits":
            [bias] = [name for name in added[node.output[0]].input if name.endswith(".bias")]
            steps, scales = kept[node.input[1]], kept[node.input[2]]
            values = (steps.astype(np.float32) - ZERO) * scales.reshape(*steps.shape[:2], 1)
            width = next(one.i for one in node.attribute if one.name == "K")
            yield bias.removesuffix("bias") + "weight", values.reshape(len(steps), -1)[:, :width]
