"""Loads small int8 networks with the tokenizers that belong to them. Their libraries are imported with the first network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer


def network_load(network: Path, tokenizer: Path, *, threads: int) -> tuple[Tokenizer, InferenceSession]:
    """Return a tokenizer and a network that takes so many cores a text; what damaged files raise is the libraries' own."""
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return Tokenizer.from_file(str(tokenizer)), InferenceSession(
        str(network), options, providers=["CPUExecutionProvider"]
    )
