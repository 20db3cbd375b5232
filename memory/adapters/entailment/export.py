"""Exports a trained cross-encoder to int8 ONNX. Needs torch; serving does not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory.adapters.entailment.onnx import NETWORK_FILE, TOKENIZER_FILE, OnnxEntailmentConfig
from memory.adapters.entailment.verdicts import label_order
from memory.adapters.learning.export import export_module, int8_embedding
from memory.core.errors import ModelNotFound, ModelUnfit


def export(source: Path, folder: Path) -> None:
    """Write network, tokenizer and config of the transformers model in `source` to `folder`, with a temperature of 1."""
    import torch
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
    embeddings.word_embeddings = int8_embedding(embeddings.word_embeddings)
    embeddings.position_embeddings = int8_embedding(embeddings.position_embeddings)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).logits

    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    OnnxEntailmentConfig(labels, window).write(folder)
    export_module(Classifier().eval(), folder / NETWORK_FILE, output="logits", window=window)


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
