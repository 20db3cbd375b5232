"""Perplexity by a tiny model of random weights, against the probabilities that the model itself gives."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from memory.adapters.language_models.perplexity import CausalPerplexity
from memory.adapters.language_models.weights import load
from memory.core.errors import ModelNotFound


def test_it_is_the_inverse_of_the_mean_probability_of_the_tokens(tiny_qwen3: Path) -> None:
    text = "hello world, hello again"
    loaded = load(str(tiny_qwen3), "cpu")
    tokens = loaded.tokenizer(text, return_tensors="pt")["input_ids"]
    with torch.inference_mode():
        chances = torch.log_softmax(loaded.model(input_ids=tokens).logits[0].double(), dim=-1)
    told = [float(chances[place, token]) for place, token in enumerate(tokens[0, 1:])]
    [found, short, empty] = CausalPerplexity(tiny_qwen3, device="cpu").of_many([text, "h", ""])
    assert found == pytest.approx(math.exp(-sum(told) / len(told)), rel=1e-4)
    assert (short, empty) == (None, None)


def test_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="There is no model folder"):
        CausalPerplexity(tmp_path / "none")
