"""Perplexity of texts by any causal language model that transformers loads (Jelinek et al., 1977)."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.adapters.language_models.weights import check_path, load

LONGEST = 1_024


class CausalPerplexity:
    """Reads texts with a model. torch is imported at the first text.

    Raises `ModelNotFound` for a folder that does not exist, and at the first text for anything else.
    """

    def __init__(self, path_or_id: str | Path, device: str = "auto") -> None:
        check_path(str(path_or_id))
        self.name = str(path_or_id)
        self._device = device
        self._loaded: Any = None

    def of_many(self, texts: Sequence[str]) -> list[float | None]:
        """Return of each text the exponential of the mean negative log-likelihood of its tokens but the first.

        At most 1,024 tokens of a text are read. None for a text of fewer than two.
        """
        import torch

        if self._loaded is None:
            self._loaded = load(self.name, self._device)
        loaded = self._loaded
        found: list[float | None] = []
        with torch.inference_mode():
            for text in texts:
                tokens = loaded.tokenizer(text, return_tensors="pt")["input_ids"][:, :LONGEST].to(loaded.model.device)
                if tokens.shape[1] < 2:
                    found.append(None)
                    continue
                loss = float(loaded.model(input_ids=tokens, labels=tokens).loss)
                found.append(math.exp(min(loss, 700.0)))
        return found
