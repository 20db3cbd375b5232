"""Exports a trained entailment network as the folder that `OnnxEntailmentModel` reads. Needs torch; serving does not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from memory.adapters.entailment.onnx import NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentConfig
from memory.adapters.entailment.verdicts import LABELS
from memory.adapters.learning.export import export_module, quantise_embeddings


def export(network: Any, folder: Path, *, base: Path) -> None:
    """Write network, the tokenizer of its base, and config to `folder`, with a temperature of 1."""
    window = int(network.encoder.config.max_position_embeddings)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(base / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    OnnxEntailmentConfig(tuple(str(label) for label in LABELS), window).write(folder)
    quantise_embeddings(network.encoder)
    export_module(network.eval(), folder / NETWORK_FILE, output="logits", window=window)
