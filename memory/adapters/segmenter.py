"""Sentence segmentation with syntok; every span indexes the text exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory.core.types import SentenceSpan, Span

# A run without any mark or break is cut here, at a space, so that no segment outgrows the parser and the embedder.
LONGEST_SEGMENT = 2_000
_LINE = re.compile(r"[^\r\n\u2028\u2029]+")
# syntok waits for a capital letter; people who chat do not write one. The words are those that open a clause of their own.
_LOWER_CASE_OPENER = re.compile(
    r"(?:(?<=[a-z]{2})|(?<=[)\]\d]))(?<!etc)(?<!vs)[.!?]+[ \t]+((?:i|im|ive|i'm|we|we're|my|he|she|it|"
    r"it's|its|they|you|the|this|that|there|but|and|so|"
    r"then|yes|no|nope|yeah|also|actually|what|where|when|who|how|why|do|does|did|can|our|his|her|thanks|"
    r"ok|okay|anyway)\b)"
)
_HAS_CONTENT = re.compile(r"\S")


class SyntokSegmenter:
    """Implements `SentenceSegmenter`. A line break always ends a sentence: people and documents use it as one."""

    def segment_many(self, texts: Sequence[str]) -> list[list[SentenceSpan]]:
        return [list(_sentences(text)) for text in texts]


def _sentences(text: str) -> Iterator[SentenceSpan]:
    for line in _LINE.finditer(text):
        starts = _sentence_starts(line.group())
        for start, end in zip(starts, [*starts[1:], len(line.group())], strict=True):
            for piece_start, piece_end in _pieces(text, line.start() + start, line.start() + end):
                yield SentenceSpan(text=text[piece_start:piece_end], span=Span(piece_start, piece_end))


def _sentence_starts(line: str) -> list[int]:
    """Return the offsets at which sentences of one line begin.

    A sentence ends at the next start: syntok may rewrite characters.
    """
    from syntok import segmenter
    from syntok.tokenizer import Tokenizer

    tokens = Tokenizer(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False).tokenize(line)
    starts = {sentence[0].offset for sentence in segmenter.segment(tokens) if sentence}
    return sorted(starts | {opener.start(1) for opener in _LOWER_CASE_OPENER.finditer(line)}) or [0]


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return a range without outer white space, cut where it is too long; nothing for a blank range."""
    while start < end:
        stop = end if end - start <= LONGEST_SEGMENT else text.rfind(" ", start + 1, start + LONGEST_SEGMENT)
        stop = stop if stop > start else min(end, start + LONGEST_SEGMENT)
        piece = text[start:stop]
        if _HAS_CONTENT.search(piece):
            stripped = piece.strip()
            offset = start + piece.index(stripped)
            yield offset, offset + len(stripped)
        start = stop
