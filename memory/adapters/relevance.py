"""A published relevance model (cross-encoder), run by transformers. torch is imported at the first use, not before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.entailment.cross_encoder import model_window
from memory.adapters.language_models.weights import check_path, read_weights
from memory.adapters.readers.encoder import batches
from memory.core.errors import ModelUnfit

SETTING = "DSMART_RELEVANCE"


@dataclass(frozen=True)
class _Loaded:
    """A tokenizer, a model on its device, and how many word pieces it reads at once."""

    tokenizer: Any
    model: Any
    device: str
    window: int


class TransformersRelevanceModel:
    """Implements `RelevanceModel` with a cross-encoder with one output: a folder, or the id of a model on the hub.

    The end of a passage that does not fit beside its question is cut. Raises `ModelNotFound` at once for a folder that does
    not exist; at the first use also `ModelUnfit` for a model with several outputs.
    """

    def __init__(self, path_or_id: str, device: str = "auto") -> None:
        check_path(path_or_id, setting=SETTING, form="the folder or hub id of a cross-encoder that ranks passages")
        self.name = path_or_id
        self._device = device
        self._working = threading.Lock()
        self._loaded: _Loaded | None = None

    def score_many(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        with self._working:
            loaded = self._loaded = self._loaded or self._load()
            encoded = [
                dict(loaded.tokenizer(*pair, truncation="longest_first", max_length=loaded.window)) for pair in pairs
            ]
            scores = np.zeros(len(pairs))
            for places in batches([len(one["input_ids"]) for one in encoded]):
                scores[places] = self._outputs(loaded, [encoded[place] for place in places])
        return [float(score) for score in scores]

    def _load(self) -> _Loaded:
        tokenizer, model, device = read_weights(
            self.name, self._device, head="AutoModelForSequenceClassification", setting=SETTING
        )
        if model.config.num_labels != 1:
            raise ModelUnfit(
                f"{self.name} has {model.config.num_labels} outputs, where a relevance model has one. Check {SETTING}."
            )
        return _Loaded(tokenizer, model, device, model_window(tokenizer, model))

    @staticmethod
    def _outputs(loaded: _Loaded, batch: list[dict[str, list[int]]]) -> NDArray[np.float32]:
        import torch

        inputs = loaded.tokenizer.pad(batch, return_tensors="pt").to(loaded.device)
        with torch.inference_mode():
            outputs: NDArray[np.float32] = loaded.model(**inputs).logits[:, 0].float().cpu().numpy()
        return outputs
