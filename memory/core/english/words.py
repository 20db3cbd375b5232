"""Words of a text: where they begin and end, the units of the learned readers, and where a quotation stands."""

from __future__ import annotations

import re

from memory.core.types import Span

WORD = re.compile(r"\w+(?:[-'’](?!s\b)\w+)*|['’]s\b|\S")


def word_places(text: str) -> list[tuple[int, int]]:
    """Return where each word of a text begins and ends, in characters: "Maya's cat" -> [(0, 4), (4, 6), (7, 10)].

    A hyphen or an apostrophe within a word does not end it, the possessive 's is a word, and so is every other mark.
    """
    return [match.span() for match in WORD.finditer(text)]


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
