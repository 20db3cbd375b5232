"""Splits the words of a reply into the pieces that are streamed."""

from __future__ import annotations

from collections.abc import Iterator

from conversations.core.types import Delta
from memory.core.types import SamplingConfig

# Words about known facts leave little to invent.
FAITHFUL = SamplingConfig(temperature=0.2)


def deltas(text: str, *, is_first: bool = True) -> Iterator[Delta]:
    """Yield a text in groups of three words, with a space before it unless it `is_first`."""
    words = text.split(" ")
    for start in range(0, len(words), 3):
        lead = "" if start == 0 and is_first else " "
        yield Delta(lead + " ".join(words[start : start + 3]))


def streamed(texts: Iterator[str]) -> Iterator[Delta]:
    """Yield the text of a language model as it comes."""
    for text in texts:
        if text:
            yield Delta(text)
