"""Rewriting a plain text piece by piece while every character keeps its place in the original."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memory.core.knowledge_graph.extraction.wording import PlainText


def respelled(
    plain: PlainText, pattern: re.Pattern[str], write: Callable[[re.Match[str]], Sequence[str | tuple[int, int]]]
) -> PlainText:
    """Return the text with each match in the pieces that `write` gives: new words, or ranges of the text to keep."""
    for match in reversed(list(pattern.finditer(plain.text))):
        inner = pieced(plain, write(match), at=match.start())
        plain = PlainText(
            plain.text[: match.start()] + inner.text + plain.text[match.end() :],
            (*plain.starts[: match.start()], *inner.starts, *plain.starts[match.end() :]),
            (*plain.ends[: match.start()], *inner.ends, *plain.ends[match.end() :]),
        )
    return plain


def pieced(plain: PlainText, pieces: Sequence[str | tuple[int, int]], *, at: int) -> PlainText:
    """Return pieces of a text as one text; words that nobody wrote stand for the character at a place of it."""
    text, starts, ends = "", list[int](), list[int]()
    for piece in pieces:
        if isinstance(piece, str):
            place = min(at, len(plain.starts) - 1)
            text += piece
            starts += [plain.starts[place]] * len(piece)
            ends += [plain.ends[place]] * len(piece)
        else:
            low, high = piece
            text += plain.text[low:high]
            starts += plain.starts[low:high]
            ends += plain.ends[low:high]
    return PlainText(text, tuple(starts), tuple(ends))
