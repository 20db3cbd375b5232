"""The bundled sentence encoder, all-MiniLM-L6-v2, as int8 ONNX: no torch, no network, no server."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory.adapters.networks import network_load
from memory.adapters.precedence import BETWEEN_CALLS_S, precedence
from memory.core.errors import ModelNotFound

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

NETWORK_FILE = "minilm-int8.onnx"
TOKENIZER_FILE = "tokenizer.json"
MAX_TOKENS = 256
WORKERS = min(4, os.cpu_count() or 1)
# What several stages of a round ask for, and the question of a reply, which every search embeds.
KEPT = 256
AT_ONCE = 8


class OnnxEmbedder:
    """Encodes sentences with the exported network in `folder` (see `memory.adapters.embedding_export`).

    Texts over 256 word pieces are cut, as in the model's training. Vectors have unit length, and equal texts have equal
    vectors; int8 weights keep a mean cosine of 0.99 to the original's.
    """

    name = "all-MiniLM-L6-v2/int8"
    dimension = 384

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = threading.Lock()
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="encode")
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        self._recent: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._keeping = threading.Lock()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        tokenizer, network = self._load()
        with self._keeping:
            known = {text: self._recent[text] for text in texts if text in self._recent}
        unknown = [text for text in dict.fromkeys(texts) if text not in known]
        for first in range(0, len(unknown), AT_ONCE):
            precedence.give_way(within_s=BETWEEN_CALLS_S)
            some = unknown[first : first + AT_ONCE]
            known.update(
                zip(some, self._workers.map(lambda text: encoded(text, tokenizer, network), some), strict=True)
            )
        with self._keeping:
            self._recent.update((text, known[text]) for text in unknown)
            while len(self._recent) > KEPT:
                self._recent.popitem(last=False)
        for row, text in enumerate(texts):
            vectors[row] = known[text]
        return vectors

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        with self._loading:
            if self._loaded is None:
                network = self._folder / NETWORK_FILE
                if not network.is_file():
                    raise ModelNotFound(
                        f"The sentence encoder {network} is not there. Start the product once with `make run`, "
                        "or run `python -m memory.adapters.embedding_export FOLDER`."
                    )
                # One core a text, several texts at once: faster than several cores for one text, and the sums are the same.
                tokenizer, session = network_load(network, self._folder / TOKENIZER_FILE, threads=1)
                tokenizer.enable_truncation(MAX_TOKENS)
                tokenizer.no_padding()
                self._loaded = tokenizer, session
            return self._loaded


def encoded(text: str, tokenizer: Tokenizer, network: InferenceSession) -> NDArray[np.float32]:
    """Return a text's vector, shape (dimension,).

    Texts are encoded one by one: int8 scales are taken over a whole batch, so in a batch a text's vector would depend on the
    others, and short texts would pay for padding.
    """
    pieces = tokenizer.encode(text)
    inputs = {
        "input_ids": np.array([pieces.ids], dtype=np.int64),
        "attention_mask": np.array([pieces.attention_mask], dtype=np.int64),
    }
    return network.run(None, inputs)[0][0]
