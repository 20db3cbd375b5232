"""A reader made by hand: an encoder whose vectors are the words themselves, so that heads can be written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from memory.adapters.readers.encoder import Reader
from memory.adapters.readers.pieces import Pieces

WORDS = "[UNK] [CLS] [SEP] i live in paris rome my sister . : | ana bo where does and now".split()
WIDTH = len(WORDS)


class HandMadeReader(Reader):
    """Every piece's vector is one at the place of its word, and nothing else."""

    def hidden(self, rows: Sequence[Pieces]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        for place, row in enumerate(rows):
            yield place, np.eye(WIDTH, dtype=np.float32)[list(row.ids)]


def unit(*words: str, value: float = 1.0) -> NDArray[np.float32]:
    """Return a vector of `value` at the places of the words."""
    vector = np.zeros(WIDTH, dtype=np.float32)
    vector[[WORDS.index(word) for word in words]] = value
    return vector


@pytest.fixture
def tokenizer() -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def reader_with(tokenizer: Tokenizer, heads: Mapping[str, NDArray[np.float32]], config: Mapping[str, Any]) -> Reader:
    return HandMadeReader(tokenizer, None, heads, config)
