"""Finds the words of a headline in another text, so that a reader's eye falls on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memory.core.english.inflection import base_form, singular
from memory.core.english.stop_words import STOP_WORDS

WORD = re.compile(r"\w+(?:['’]\w+)?")
WITHIN_A_CLAUSE = re.compile(r"[\w\s,'’-]*")


def marked(text: str, *, headline: str) -> Sequence[tuple[str, bool]]:
    """Return a text in pieces, each with whether it holds words of the headline.

    Words match by their base forms. Words that only hold sentences together match nothing, but stay within a piece.

    >>> marked("They moved to Porto.", headline="She moves to Porto")
    [('They ', False), ('moved to Porto', True), ('.', False)]
    """
    wanted = {key_of(word) for word in WORD.findall(headline)} - {""}
    spans: list[tuple[int, int]] = []
    is_near = False
    for found in WORD.finditer(text):
        key = key_of(found.group())
        if not key:
            continue
        if key in wanted:
            if is_near and WITHIN_A_CLAUSE.fullmatch(text, spans[-1][1], found.start()):
                spans[-1] = (spans[-1][0], found.end())
            else:
                spans.append(found.span())
        is_near = key in wanted
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    pieces = [(text[start:end], place % 2 == 1) for place, (start, end) in enumerate(pairwise(edges))]
    return [piece for piece in pieces if piece[0]]


def key_of(word: str) -> str:
    """Return what a word matches by: its base form; "" where it tells nothing by itself."""
    bare = re.sub("['’]s$", "", word.casefold())
    return "" if bare in STOP_WORDS else base_form(singular(bare))
