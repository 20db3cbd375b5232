"""Digests of what is learned from: they tell data apart, and choose by its words alone what is held out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def digest_of(parts: Iterable[str]) -> str:
    """Return the SHA-256 of texts, one behind the other."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
    return digest.hexdigest()


def is_drawn(text: str, *, one_in: int) -> bool:
    """Return whether a text is among the one in so many that its digest draws: always so, whatever is beside it."""
    return int(digest_of([text])[:8], 16) % one_in == 0
