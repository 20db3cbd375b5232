"""Exports a trained BERT encoder to int8 ONNX. Needs torch; serving does not.

Weights of matrix products get one scale for every 128 of a column, and activations are quantised row by row at run time, so
that what is read in a text does not depend on its batch. (Dynamic quantisation, which the sentence encoder has, takes one
scale for a whole batch: a third faster, but 3 verdicts in 100 of the entailment model changed with the batch.) Word and
position embeddings, more than half of all weights, get one scale a row.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from memory.adapters.readers.encoder import CONFIG_FILE, HEADS_FILE, NETWORK_FILE, TOKENIZER_FILE

BLOCK = 128
# The number by which onnxruntime is told that activations may be quantised to bytes.
INT8_ACTIVATIONS = 4


def export_reader(network: Any, folder: Path, *, base: Path, config: Mapping[str, Any]) -> None:
    """Write a trained network as the folder of a reader: encoder, heads, the tokenizer of its base, and config.

    The heads are all weights outside of `network.encoder`, under their own names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    heads = {
        name: value.numpy().astype(np.float16)
        for name, value in network.state_dict().items()
        if not name.startswith("encoder.")
    }
    np.savez(folder / HEADS_FILE, **heads)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    write_config(folder, config)
    export_encoder(network.encoder, folder / NETWORK_FILE)


def write_config(folder: Path, config: Mapping[str, Any]) -> None:
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def export_encoder(encoder: Any, target: Path) -> None:
    """Write an encoder (inputs: ids, mask and types of the pieces; output: `hidden`, a vector each) to the file `target`."""
    import torch

    class Hidden(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            inputs = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
            return self.encoder(**inputs).last_hidden_state

    positions = int(encoder.config.max_position_embeddings)
    quantise_embeddings(encoder)
    export_module(Hidden().eval(), target, output="hidden", window=positions)


def quantise_embeddings(encoder: Any) -> None:
    """Put the embeddings of words and positions into int8, and the attention into a form that can be exported."""
    encoder.set_attn_implementation("eager")
    embeddings = encoder.embeddings
    embeddings.word_embeddings = int8_embedding(embeddings.word_embeddings)
    embeddings.position_embeddings = int8_embedding(embeddings.position_embeddings)


def export_module(module: Any, target: Path, *, output: str, window: int) -> None:
    """Write a module of the inputs ids, mask and types to the file `target`, atomically; its matrix products are int8."""
    import onnx
    import torch
    from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer

    example = torch.tensor([[2, 7, 8, 3, 9, 3], [2, 7, 3, 9, 3, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0]])
    types = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0]])
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=window)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as work, _quiet():
        full, small = Path(work) / "full.onnx", Path(work) / target.name
        torch.onnx.export(
            module,
            (example, mask, types),
            str(full),
            dynamo=True,
            verbose=False,
            input_names=["input_ids", "attention_mask", "token_type_ids"],
            output_names=[output],
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
        small.replace(target)


def int8_embedding(embedding: Any) -> Any:
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
