"""Quotes a value of any kind and size in a sentence."""

from __future__ import annotations

from reprlib import repr as bounded

LONGEST = 80


def shortened(value: object) -> str:
    quoted = bounded(value)
    return quoted if len(quoted) <= LONGEST else f"{quoted[: LONGEST - 1]}…"
