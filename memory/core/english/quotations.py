"""Finds what a model quotes in the words that it quotes."""

from __future__ import annotations

import re

from memory.core.types import Span

# The same character in the two ways that keyboards and models write it; one for one, so that offsets stay.
QUOTE_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def find_quote(quote: str, text: str) -> Span | None:
    """Return where a quotation stands in the text, whatever its case, spacing and form of quotation marks; or None."""
    words = quote.translate(QUOTE_MARKS).strip(" \t\n.,;:!?\"'").split()
    if not words:
        return None
    pattern = r"(?<!\w)" + r"\s+".join(re.escape(word) for word in words) + r"(?!\w)"
    match = re.search(pattern, text.translate(QUOTE_MARKS), re.IGNORECASE)
    return None if match is None else Span(*match.span())
