"""The evidence reader: what a user's turn brings to the state of a task, and how each piece bears on earlier ones.

One encoder with three heads. The first tags the words of a message (begin, inside, outside, a kind each); the second reads an
earlier piece of evidence beside a new one, which stands marked in its message; the third reads an earlier piece beside a
whole message, and says whether it still stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, pooled, softmax
from memory.adapters.readers.message_reader import parts_of
from memory.adapters.readers.pieces import Pieces
from memory.core.semantic_state.ports import Bearing, EvidencePair, Fate, FatePair, Marked, MarkedWords
from memory.core.types import MessageInContext, Span

LabelT = TypeVar("LabelT", bound=StrEnum)
KIND = "evidence reader"
MARKS = tuple(Marked)
BEARINGS = tuple(Bearing)
FATES = tuple(Fate)
# A word is outside (0), or begins (odd) or goes on with (even) a piece of a kind.
OUTSIDE = 0
TAGS = 1 + 2 * len(MARKS)
# Characters around the new piece, and of what was said before its message, that a pair is read with.
AROUND = 120


class OnnxEvidenceReader(OnnxReader):
    """Implements `EvidenceReader` with the folder that `manage.py train evidence-reader` writes."""

    kind = KIND

    def mark_many(self, messages: Sequence[MessageInContext]) -> list[tuple[MarkedWords, ...]]:
        reader = self.load()
        parts = [(place, *part) for place, message in enumerate(messages) for part in parts_of(message)]
        pieces = [reader.cut(before, text) for _, before, text, _ in parts]
        found: list[list[MarkedWords]] = [[] for _ in messages]
        for place, hidden in reader.hidden(pieces):
            message, _, text, start = parts[place]
            found[message] += marked(reader, pieces[place], hidden, text, start)
        return [tuple(sorted(marks, key=lambda mark: mark.span.start)) for marks in found]

    def link_many(self, pairs: Sequence[EvidencePair]) -> list[dict[Bearing, float]]:
        return self._judged([pair_texts(pair) for pair in pairs], "bearings", BEARINGS)

    def fates_many(self, pairs: Sequence[FatePair]) -> list[dict[Fate, float]]:
        return self._judged([fate_texts(pair) for pair in pairs], "fates", FATES)

    def _judged(
        self, texts: Sequence[tuple[str, str]], head: str, labels: Sequence[LabelT]
    ) -> list[dict[LabelT, float]]:
        reader = self.load()
        found: dict[int, dict[LabelT, float]] = {}
        for place, hidden in reader.hidden([reader.cut(*both) for both in texts]):
            first = pooled(reader.heads, "pooler", hidden)
            shares = softmax(linear(reader.heads, head, first) / float(reader.config["temperatures"][head]))
            found[place] = {label: round(float(share), 4) for label, share in zip(labels, shares, strict=True)}
        return [found[place] for place in range(len(texts))]


def begins(kind: Marked) -> int:
    return 1 + 2 * MARKS.index(kind)


def goes_on(kind: Marked) -> int:
    return 2 + 2 * MARKS.index(kind)


def marked(reader: Reader, pieces: Pieces, hidden: NDArray[np.float32], text: str, start: int) -> Iterator[MarkedWords]:
    """Yield the pieces of a text by the likeliest tags of its words, of which no piece goes on with another kind's."""
    words = [word for word in pieces.words if word.text == 1]
    if not words:
        return
    shares = np.array([softmax(row) for row in linear(reader.heads, "tags", hidden[[word.first for word in words]])])
    tags = likeliest(shares)
    first = 0
    while first < len(words):
        if tags[first] == OUTSIDE:
            first += 1
            continue
        kind = MARKS[(tags[first] - 1) // 2]
        last = first
        while last + 1 < len(words) and tags[last + 1] == goes_on(kind):
            last += 1
        span = Span(words[first].start, words[last].end)
        of_kind = shares[first : last + 1, [begins(kind), goes_on(kind)]].sum(axis=1)
        yield MarkedWords(
            text[span.start : span.end],
            Span(start + span.start, start + span.end),
            kind,
            round(float(of_kind.mean()), 4),
        )
        first = last + 1


def likeliest(shares: NDArray[np.float64]) -> list[int]:
    """Return the likeliest sequence of tags in which a kind goes on only where it began (Viterbi). Shape (words, tags)."""
    allowed = np.zeros((TAGS, TAGS))
    for kind in MARKS:
        allowed[:, goes_on(kind)] = -np.inf
        allowed[[begins(kind), goes_on(kind)], goes_on(kind)] = 0
    logs = np.log(np.maximum(shares, 1e-9))
    score = logs[0] + allowed[OUTSIDE]
    back = []
    for row in logs[1:]:
        ways = score[:, None] + allowed
        back.append(ways.argmax(axis=0))
        score = ways.max(axis=0) + row
    tags = [int(score.argmax())]
    for came_from in reversed(back):
        tags.append(int(came_from[tags[-1]]))
    return tags[::-1]


def pair_texts(pair: EvidencePair) -> tuple[str, str]:
    """Return what a pair is read as: the earlier piece with its kind, and the new one marked in its message."""
    text, span = pair.message.text, pair.new.span
    around = (
        f"{text[max(0, span.start - AROUND) : span.start]} « {pair.new.text} » {text[span.end : span.end + AROUND]}"
    )
    return (
        f"{pair.earlier_kind}: {pair.earlier}",
        f"{pair.message.before[-AROUND:]} | {pair.new.kind}: {' '.join(around.split())}",
    )


def fate_texts(pair: FatePair) -> tuple[str, str]:
    """Return what a pair is read as: the earlier piece with its kind, and the message behind what was said before it."""
    return f"{pair.earlier_kind}: {pair.earlier}", f"{pair.message.before[-AROUND:]} | {pair.message.text}"
