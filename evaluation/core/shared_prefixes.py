"""Measures how much of a series of prompts a server finds in its prefix cache."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def shared_share(texts: Sequence[str]) -> float:
    """Return the share of all characters with which a text begins like one before it, in [0, 1]; their order is no matter.

    A server's cache holds whole blocks of tokens and not for ever, so that its share is lower.

    >>> shared_share(["abcd", "abef", "abeg"])  # nothing of 4, then 2 and 3 of 4
    0.4166666666666667
    """
    shared = sum(common_length(one, other) for one, other in pairwise(sorted(texts)))
    return shared / max(1, sum(map(len, texts)))


def common_length(one: str, other: str) -> int:
    """Return with how many characters both texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
