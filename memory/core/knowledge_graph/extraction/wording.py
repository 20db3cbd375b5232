"""Chat's spellings and idioms in the words that the rules read: "dont", "gonna", "moved 2 lyon", "was let go"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
_NAME = r"(?-i:[A-Z])[\w'’-]*"
# Words around a name that keep the parser from it, and say no more than the name does.
_AROUND_NAMES: tuple[tuple[str, str], ...] = (
    (rf"\b(?P<p>in|at) (?P<n>{_NAME}(?: {_NAME})?) (?:these days|nowadays)\b", "{p} {n}"),
    (
        r"\b(?P<v>is|was|'s) (?:a|an|this|some) (?:[a-z]+ )?(?:woman|man|guy|girl|boy|lady|bloke|chap|person|fellow) "
        rf"(?:called|named) (?={_NAME})",
        "{v} ",
    ),
    (rf"\b(?P<o>her|his|my|our|their) (?P<k>{_KIN}) there (?P<v>is|was)\b", "{o} {k} {v}"),
    (
        rf"\b(?P<p>in|for|at|with|runs?|owns?|joined|founded|opened) (?P<d>an?) (?P<k>[a-z]+(?: [a-z]+)?), (?:the )?"
        rf"(?P<n>{_NAME}(?: {_NAME})*)(?=\s*[.!]?\s*$)",
        "{p} {d} {k} called {n}",
    ),
)
_PLAIN = (*CHAT_SPELLING, *DROPPED_SUBJECTS, *_OWNED, *_AROUND_NAMES, *CHANGES)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), template) for pattern, template in _PLAIN)
# A round's statement, facts and digests ask for the same sentences, and the next round once more.
_KEPT = 256
_SLOT = re.compile(r"\{(\w)\}")


@lru_cache(maxsize=_KEPT)
def plain_words(text: str) -> PlainText:
    """Return a sentence in plain words; its own where nothing needs plainer ones."""
    plain = PlainText(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))
    for pattern, template in _RULES:
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
