"""How a pair shares the window, and how pairs share a batch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.adapters.entailment.pairs import premise_room
from memory.adapters.readers.encoder import BATCH_PIECES, BATCH_TEXTS, batches
from memory.core.errors import TextTooLong


def test_premise_gets_what_the_hypothesis_and_the_special_tokens_leave() -> None:
    assert premise_room(10, window=64, special_tokens=3) == 51
    assert premise_room(60, window=64, special_tokens=3) == 1


def test_hypothesis_that_fills_the_window_is_refused_with_its_length() -> None:
    with pytest.raises(TextTooLong, match=r"61 word pieces.* 64 "):
        premise_room(61, window=64, special_tokens=3)


@given(st.lists(st.integers(1, 512), max_size=200))
def test_batches_hold_every_place_once_in_bounded_memory(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        longest = max(lengths[place] for place in batch)
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) == 1 or longest * len(batch) <= BATCH_PIECES
    in_order = [lengths[place] for batch in found for place in batch]
    assert in_order == sorted(in_order)
