"""Chat's spellings and idioms in the words that the rules read: "dont", "gonna", "moved 2 lyon", "was let go"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.core.knowledge_graph.extraction.chat_spelling import CHAT_SPELLING
from memory.core.knowledge_graph.extraction.dropped_subjects import DROPPED_SUBJECTS
from memory.core.knowledge_graph.extraction.idioms import CHANGES
from memory.core.knowledge_graph.vocabulary import RELATIONS
from memory.core.types import Span


@dataclass(frozen=True)
class PlainText:
    """A sentence in plain words, with the range of the original that each of its characters stands for."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, span: Span) -> Span:
        """Return the range of the original sentence that a range of the plain one stands for."""
        if not self.starts or span.start >= span.end:
            return span
        last = min(span.end, len(self.ends))
        first = min(span.start, last - 1)
        # Words may have changed places.
        return Span(min(self.starts[first:last]), max(self.ends[first:last]))


_KIN = "|".join(sorted(map(re.escape, RELATIONS), key=len, reverse=True))
# Forms that need to know who is whose; the rest are tables of their own.
_OWNED: tuple[tuple[str, str], ...] = (
    (rf"\b(?P<o>my|our) (?P<k>{_KIN})s (?P<w>[a-z]+)(?= (?:is|was)\b)", "{o} {k}'s {w}"),
    (r"\b(?P<n>name(?: is|'s)) (?:spelled|spelt|written)\b", "{n}"),
    (r"^(?P<n>(?:it|that)(?: is|'s)) (?:spelled|spelt|written)\b", "no, {n}"),
)
_PLAIN = (*CHAT_SPELLING, *DROPPED_SUBJECTS, *_OWNED, *CHANGES)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), template) for pattern, template in _PLAIN)
_SLOT = re.compile(r"\{(\w)\}")


def plain_words(text: str) -> PlainText:
    """Return a sentence in plain words; its own where nothing needs plainer ones."""
    plain = PlainText(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    for pattern, template in _RULES:
        for match in reversed(list(pattern.finditer(plain.text))):
            plain = _replaced(plain, match, template)
    return plain


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


def _replaced(plain: PlainText, match: re.Match[str], template: str) -> PlainText:
    text, starts, ends = "", list[int](), list[int]()
    for index, part in enumerate(_SLOT.split(template)):
        if index % 2:
            low, high = match.span(part)
            if low < 0:
                continue
            text += plain.text[low:high]
            starts += plain.starts[low:high]
            ends += plain.ends[low:high]
        else:
            # Words that nobody wrote stand for all that they replace.
            text += part
            starts += [plain.starts[match.start()]] * len(part)
            ends += [plain.ends[match.end() - 1]] * len(part)
    return PlainText(
        plain.text[: match.start()] + text + plain.text[match.end() :],
        (*plain.starts[: match.start()], *starts, *plain.starts[match.end() :]),
        (*plain.ends[: match.start()], *ends, *plain.ends[match.end() :]),
    )
