"""The share of characters that a prefix cache would know, against what a look at every pair says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.sequential_search import shared_share


@pytest.mark.parametrize(
    ("texts", "share"),
    [([], 0.0), (["", ""], 0.0), (["abcd", "abef", "abeg"], 5 / 12), (["ab", "ab"], 0.5), (["b", "a", "ba"], 1 / 4)],
)
def test_share_by_hand(texts: list[str], share: float) -> None:
    assert shared_share(texts) == pytest.approx(share)


@given(st.lists(st.text("ab", max_size=6), min_size=1))
def test_share_is_that_of_every_pair(texts: list[str]) -> None:
    shared = 0
    for place, text in enumerate(texts):
        starts = [
            length for length in range(len(text) + 1) if any(one.startswith(text[:length]) for one in texts[:place])
        ]
        shared += max(starts, default=0)
    assert shared_share(texts) == pytest.approx(shared / max(1, sum(map(len, texts))))
