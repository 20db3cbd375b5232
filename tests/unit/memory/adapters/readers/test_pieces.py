"""Two texts cut into pieces: what is kept of them, and which words are whole."""

from __future__ import annotations

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from memory.adapters.readers.pieces import Pieces, Word, cut, padded


@pytest.fixture
def tokenizer() -> Tokenizer:
    vocabulary = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "cat": 3, "##s": 4, "the": 5, "-": 6, "sit": 7}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def test_texts_become_pieces_and_words(tokenizer: Tokenizer) -> None:
    assert cut(tokenizer, "the cats", "cat-cats sit", window=20, first_room=8) == Pieces(
        ids=(1, 5, 3, 4, 2, 3, 6, 3, 4, 7, 2),
        split=5,
        words=(Word(0, 0, 3, 1, 1), Word(0, 4, 8, 2, 3), Word(1, 0, 8, 5, 8), Word(1, 9, 12, 9, 9)),
    )


def test_of_the_first_text_the_end_is_kept_and_of_the_second_the_beginning(tokenizer: Tokenizer) -> None:
    found = cut(tokenizer, "the sit cats", "sit the cats", window=9, first_room=2)
    # Of the first two pieces are left, the word they are; of the second the last piece of "cats" is not.
    assert found == Pieces(ids=(1, 3, 4, 2, 7, 5, 3, 4, 2), split=4, words=(Word(0, 8, 12, 1, 2), *found.words[1:]))
    assert found.words[1:] == (Word(1, 0, 3, 4, 4), Word(1, 4, 7, 5, 5), Word(1, 8, 12, 6, 7))
    cut_word = cut(tokenizer, "cats", "sit cats", window=6, first_room=1)
    assert (cut_word.ids, cut_word.words) == ((1, 4, 2, 7, 3, 2), (Word(1, 0, 3, 3, 3),))


def test_nothing_is_no_words(tokenizer: Tokenizer) -> None:
    assert cut(tokenizer, "", "", window=8, first_room=4) == Pieces((1, 2, 2), 2, ())
    assert cut(tokenizer, "the cat", "sit", window=3, first_room=4).ids == (1, 5, 3, 2, 2)


def test_rows_of_a_batch_are_padded() -> None:
    inputs = padded([Pieces((1, 5, 2, 7, 2), 3, ()), Pieces((1, 2, 2), 2, ())])
    assert {name: part.tolist() for name, part in inputs.items()} == {
        "input_ids": [[1, 5, 2, 7, 2], [1, 2, 2, 0, 0]],
        "attention_mask": [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]],
        "token_type_ids": [[0, 0, 0, 1, 1], [0, 0, 1, 0, 0]],
    }
    assert {part.dtype for part in inputs.values()} == {np.dtype(np.int64)}
