"""Cuts what a reader reads, two texts, into the word pieces of its encoder, and tells which words they make up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory.core.english.words import word_places

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FIRST_TOKEN = "[CLS]"  # noqa: S105
SEPARATOR = "[SEP]"


@dataclass(frozen=True)
class Word:
    """A word of the first (0) or second (1) text: its place in characters, and its first and last piece."""

    text: int
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True)
class Pieces:
    """Two texts as an encoder reads them: [CLS] first [SEP] second [SEP]; `split` is the piece where the second begins."""

    ids: tuple[int, ...]
    split: int
    words: tuple[Word, ...]


def cut(tokenizer: Tokenizer, first: str, second: str, *, window: int, first_room: int) -> Pieces:
    """Return the pieces of two texts.

    Of the first, the last `first_room` pieces are kept where it is longer; of the second, as many from its beginning as
    `window` then leaves room for. Words that were cut are left out.
    """
    before = tokenizer.encode(first, add_special_tokens=False)
    after = tokenizer.encode(second, add_special_tokens=False)
    skipped = max(0, len(before.ids) - first_room)
    split = 2 + len(before.ids) - skipped
    kept = max(0, window - split - 1)
    begin, separator = (tokenizer.token_to_id(token) or 0 for token in (FIRST_TOKEN, SEPARATOR))
    ids = (begin, *before.ids[skipped:], separator, *after.ids[:kept], separator)
    words = [
        *_words(0, first, before.offsets[skipped:], 1),
        *_words(1, second, after.offsets[:kept], split),
    ]
    return Pieces(ids, split, tuple(words))


def _words(text: int, content: str, offsets: Sequence[tuple[int, int]], begins: int) -> list[Word]:
    """Return the words of which all pieces are there; both lists are in the order of the text."""
    found = []
    piece = 0
    for start, end in word_places(content):
        while piece < len(offsets) and offsets[piece][1] <= start:
            piece += 1
        last = piece
        while last < len(offsets) and offsets[last][0] < end:
            last += 1
        if last > piece and offsets[piece][0] <= start and offsets[last - 1][1] >= end:
            found.append(Word(text, start, end, begins + piece, begins + last - 1))
    return found


def padded(rows: Sequence[Pieces]) -> dict[str, NDArray[np.int64]]:
    """Return the network's inputs for one batch, each of shape (rows, pieces of the longest)."""
    shape = (len(rows), max(len(row.ids) for row in rows))
    ids, mask, types = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for place, row in enumerate(rows):
        ids[place, : len(row.ids)] = row.ids
        mask[place, : len(row.ids)] = 1
        types[place, row.split : len(row.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
