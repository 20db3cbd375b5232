"""Exports a trained cross-encoder to int8 ONNX. Needs torch; what serves does not.

Weights of matrix products get one scale a channel, those of the word embeddings one scale a word: they are half of the
network's weights, and onnxruntime's own quantisation would give them a single scale for all words.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.adapters.entailment.onnx import NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentConfig
from memory.adapters.entailment.verdicts import label_order
from memory.core.errors import ModelNotFound, ModelUnfit


def export(source: Path, folder: Path) -> None:
    """Write network, tokenizer and config of the transformers model in `source` to `folder`, with a temperature of 1."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModelForSequenceClassification

    if not (source / "config.json").is_file():
        raise ModelNotFound(f"There is no trained model in {source}: it has no config.json.")
    model = AutoModelForSequenceClassification.from_pretrained(
        source, attn_implementation="eager", local_files_only=True
    ).eval()
    labels = tuple(model.config.id2label[place] for place in range(model.config.num_labels))
    label_order(model.config.id2label, model=str(source))
    if model.config.model_type != "bert" or not (source / TOKENIZER_FILE).is_file():
        raise ModelUnfit(f"{source} is not a BERT with a {TOKENIZER_FILE}, which is what can be exported.")
    window = int(model.config.max_position_embeddings)
    model.set_input_embeddings(_int8_embedding(model.get_input_embeddings()))

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).logits

    example = torch.tensor([[2, 7, 8, 3, 9, 3], [2, 7, 3, 9, 3, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]])
    types = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0]])
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=window)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work, _quiet():
        full, small = Path(work) / "full.onnx", Path(work) / NETWORK_FILE
        torch.onnx.export(
            Classifier().eval(),
            (example, mask, types),
            str(full),
            dynamo=True,
            verbose=False,
            input_names=["input_ids", "attention_mask", "token_type_ids"],
            output_names=["logits"],
            dynamic_shapes=({0: batch, 1: length},) * 3,
        )
        quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"])
        shutil.copyfile(source / TOKENIZER_FILE, folder / TOKENIZER_FILE)
        OnnxEntailmentConfig(labels, window).write(folder)
        small.replace(folder / NETWORK_FILE)


def _int8_embedding(embedding: Any) -> Any:
    """Return the word embeddings with a byte a number and one scale a word."""
    import torch

    class Int8Embedding(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            weight = embedding.weight.detach()
            scale = weight.abs().amax(dim=1, keepdim=True).clamp(min=1e-9) / 127
            self.register_buffer("scale", scale)
            self.register_buffer("steps", torch.round(weight / scale).to(torch.int8))

        def forward(self, input_ids: Any) -> Any:
            steps = torch.nn.functional.embedding(input_ids, self.steps)
            return steps.to(torch.float32) * torch.nn.functional.embedding(input_ids, self.scale)

    return Int8Embedding()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's notes, which are about its own workings, off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
