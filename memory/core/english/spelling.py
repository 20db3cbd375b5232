"""Chat's spellings in the words that the rules read: "dont", "gonna", "moved 2 lyon"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

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


SPELLING = Path(__file__).with_suffix(".txt")
# A round's statement, facts and digests ask for the same sentences, and the next round once more.
_KEPT = 256
_SLOT = re.compile(r"\{(\w+)\}")


def unchanged(text: str) -> PlainText:
    """Return a sentence as it is."""
    return PlainText(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))


@lru_cache(maxsize=_KEPT)
def plain_words(text: str) -> PlainText:
    """Return a sentence in plain words; its own where nothing needs plainer ones."""
    return rewritten(unchanged(text), _spelling())


@cache
def _spelling() -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = [line for line in SPELLING.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    pairs = [line.split(" => ") for line in lines]
    return tuple((re.compile(written, re.IGNORECASE), plain.strip('"')) for written, plain in pairs)


def rewritten(plain: PlainText, rules: Sequence[tuple[re.Pattern[str], str]]) -> PlainText:
    for pattern, template in rules:
        for match in reversed(list(pattern.finditer(plain.text))):
            plain = _replaced(plain, match, template)
    return plain


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
