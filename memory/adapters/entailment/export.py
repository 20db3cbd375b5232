"""Exports a trained cross-encoder to int8 ONNX. Needs torch; serving does not.

Weights of matrix products get one scale for every 128 of a column, and activations are quantised row by row at run time, so
that the verdict on a pair does not depend on its batch. (Dynamic quantisation, which the sentence encoder has, takes one
scale for a whole batch: a third faster, but 3 pairs in 100 got another label in a batch than alone.) Word and position
embeddings, more than half of all weights, get one scale a row.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.adapters.entailment.onnx import NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentConfig
from memory.adapters.entailment.verdicts import label_order
from memory.core.errors import ModelNotFound, ModelUnfit

BLOCK = 128
# The number by which onnxruntime is told that activations may be quantised to bytes.
INT8_ACTIVATIONS = 4


def export(source: Path, folder: Path) -> None:
    """Write network, tokenizer and config of the transformers model in `source` to `folder`, with a temperature of 1."""
    import onnx
    import torch
    from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
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
    embeddings = model.bert.embeddings
    embeddings.word_embeddings = _int8_embedding(embeddings.word_embeddings)
    embeddings.position_embeddings = _int8_embedding(embeddings.position_embeddings)

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
        quantizer = MatMulNBitsQuantizer(
            _without_notes(onnx.load(full)),
            algo_config=DefaultWeightOnlyQuantConfig(
                block_size=BLOCK, is_symmetric=True, accuracy_level=INT8_ACTIVATIONS, bits=8
            ),
        )
        quantizer.process()
        quantizer.model.save_model_to_file(str(small), use_external_data_format=False)
        shutil.copyfile(source / TOKENIZER_FILE, folder / TOKENIZER_FILE)
        OnnxEntailmentConfig(labels, window).write(folder)
        small.replace(folder / NETWORK_FILE)


def labelled_copy(source: Path, folder: Path, *, labels: Sequence[str], tokenizer_of: Path) -> Path:
    """Copy a trained model to `folder` with `labels` in its config, in the order of its outputs, and return `folder`.

    Without `labels` its own are kept. A model without a tokenizer gets that of `tokenizer_of`.
    """
    try:
        config = json.loads((source / "config.json").read_text(encoding="utf-8"))
        shutil.copytree(source, folder, dirs_exist_ok=True)
    except (OSError, ValueError, shutil.Error) as error:
        raise ModelNotFound(f"There is no trained model in {source}: {error}.") from error
    if labels:
        config["id2label"] = {str(place): label for place, label in enumerate(labels)}
        config["label2id"] = {label: place for place, label in enumerate(labels)}
        (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    if not (folder / TOKENIZER_FILE).is_file():
        for name in (TOKENIZER_FILE, "tokenizer_config.json"):
            shutil.copyfile(tokenizer_of / name, folder / name)
    return folder


def _int8_embedding(embedding: Any) -> Any:
    """Return an embedding table quantised to int8 with one scale a row."""
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


def _without_notes(network: Any) -> Any:
    """Return the network without the exporter's stack traces, which contain paths of this machine."""
    del network.metadata_props[:], network.graph.value_info[:], network.graph.metadata_props[:]
    for node in network.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    for tensor in network.graph.initializer:
        tensor.doc_string = ""
        del tensor.metadata_props[:]
    return network


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the exporter's messages about its own workings."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
