"""A published entailment model, run by transformers. torch is imported at the first use, not before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.adapters.entailment.pairs import in_order, label_order, premise_room, verdicts
from memory.adapters.language_models.weights import NO_LIMIT, check_path, read_weights
from memory.adapters.readers.encoder import batches
from memory.core.errors import ModelRefused
from memory.core.types import EntailmentVerdict

SETTING = "DSMART_ENTAILMENT"


@dataclass(frozen=True)
class _Loaded:
    """A tokenizer and a model on its device; `order` are its outputs of entailment, neutral and contradiction."""

    tokenizer: Any
    model: Any
    device: str
    window: int
    order: tuple[int, ...]


class TransformersEntailmentModel:
    """Implements `EntailmentModel` with a cross-encoder: a folder, or the id of a model on the hub.

    Pairs are batched by length; one batch runs at a time. Raises `ModelNotFound` at once for a folder that does not exist; at
    the first use also `ModelUnfit` for a model with other labels, and `ModelRefused` for a device without room for it.
    """

    def __init__(self, path_or_id: str, device: str = "auto") -> None:
        check_path(path_or_id, setting=SETTING, form="built-in, off, or a folder or hub id of a cross-encoder")
        self.name = path_or_id
        self._device = device
        self._loading = threading.Lock()
        self._predicting = threading.Lock()
        self._loaded: _Loaded | None = None

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        if not pairs:
            return []
        loaded = self._load()
        encoded = [self._encoded(loaded, premise, hypothesis) for premise, hypothesis in pairs]
        found = np.zeros((len(pairs), len(loaded.order)))
        for places in batches([len(pair["input_ids"]) for pair in encoded]):
            with self._predicting:
                found[places] = self._logits(loaded, [encoded[place] for place in places])
        return verdicts(in_order(found, loaded.order))

    def _load(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                tokenizer, model, device = read_weights(
                    self.name, self._device, head="AutoModelForSequenceClassification", setting=SETTING
                )
                order = label_order(model.config.id2label, model=self.name)
                # Of the premise the end is kept: what was said last stands nearest to the hypothesis.
                tokenizer.truncation_side = "left"
                self._loaded = _Loaded(tokenizer, model, device, model_window(tokenizer, model), order)
            return self._loaded

    @staticmethod
    def _encoded(loaded: _Loaded, premise: str, hypothesis: str) -> dict[str, list[int]]:
        asked = len(loaded.tokenizer(hypothesis, add_special_tokens=False, verbose=False)["input_ids"])
        premise_room(asked, window=loaded.window, special_tokens=loaded.tokenizer.num_special_tokens_to_add(pair=True))
        return dict(loaded.tokenizer(premise, hypothesis, truncation="only_first", max_length=loaded.window))

    def _logits(self, loaded: _Loaded, batch: list[dict[str, list[int]]]) -> NDArray[np.float32]:
        """Return the logits of one batch; a batch that does not fit the device's memory is halved."""
        import torch

        inputs = loaded.tokenizer.pad(batch, return_tensors="pt").to(loaded.device)
        try:
            with torch.inference_mode():
                outputs: NDArray[np.float32] = loaded.model(**inputs).logits.float().cpu().numpy()
                return outputs
        except torch.OutOfMemoryError as error:
            if len(batch) == 1:
                raise ModelRefused(
                    f"{self.name} ran out of memory on {loaded.device} with a single pair. "
                    "Set DSMART_TRANSFORMERS_DEVICE to cpu, or choose a smaller model."
                ) from error
        half = len(batch) // 2
        return np.concatenate([self._logits(loaded, batch[:half]), self._logits(loaded, batch[half:])])


def model_window(tokenizer: Any, model: Any) -> int:
    """Return the number of word pieces that the model reads at once."""
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int):
        # RoBERTa and its kin count positions from behind that of the padding.
        tables = (part for name, part in model.named_modules() if name.endswith("position_embeddings"))
        padding = next((getattr(table, "padding_idx", None) for table in tables), None)
        positions -= 0 if padding is None else padding + 1
    limits = [tokenizer.model_max_length, positions]
    return min((limit for limit in limits if isinstance(limit, int) and 0 < limit < NO_LIMIT), default=NO_LIMIT)
