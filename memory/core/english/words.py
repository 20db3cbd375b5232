"""Splits a text into words, the units in which the learned readers find their spans."""

from __future__ import annotations

import re

WORD = re.compile(r"\w+(?:[-'’](?!s\b)\w+)*|['’]s\b|\S")


def word_places(text: str) -> list[tuple[int, int]]:
    """Return where each word of a text begins and ends, in characters: "Maya's cat" -> [(0, 4), (4, 6), (7, 10)].

    A hyphen or an apostrophe within a word does not end it, the possessive 's is a word, and so is every other mark.
    """
    return [match.span() for match in WORD.finditer(text)]
