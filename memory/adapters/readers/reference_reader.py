"""The reference reader: what the pronouns of an utterance mean, and which words were left out, in what was said before.

One encoder reads what was said before and the utterance together. Two heads tag the words of the utterance: that what stands
there is to be named, and that words were left out before it. From each such place two pointers choose the first and the last
word of what is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, outside_runs, softmax
from memory.adapters.readers.pieces import Pieces, Word
from memory.core.types import Reference, Span, UtteranceInDialogue, WordSpan

KIND = "reference reader"
# A word stays, begins what is to be named, begins what is to be named as an owner ("her car"), or goes on with it.
STAYS, NAMED, OWNER, GOES_ON = range(4)
TAGS = 4
# Before a word nothing was left out (0), or what was left out is brought in by one of these words.
LINKS = ("", "of", "about", "in", "for", "to", "on", "from", "with", "by", "at", "than")
GAPS = 1 + len(LINKS)
LINE = "\n"


class OnnxReferenceReader(OnnxReader):
    """Implements `ReferenceReader` with the folder that `manage.py train reference-reader` writes."""

    kind = KIND

    def resolve_many(self, utterances: Sequence[UtteranceInDialogue]) -> list[tuple[Reference, ...]]:
        reader = self.load()
        pieces = [reader.cut(LINE.join(one.before), one.text) for one in utterances]
        found: list[tuple[Reference, ...]] = [()] * len(utterances)
        for place, hidden in reader.hidden(pieces):
            one = utterances[place]
            found[place] = tuple(_references(reader, pieces[place], hidden, LINE.join(one.before), one.text))
        return found


def _references(
    reader: Reader, pieces: Pieces, hidden: NDArray[np.float32], before: str, text: str
) -> Iterator[Reference]:
    """Yield the places of a text where something said before is meant, in their order, each with what is meant."""
    words = words_with_end(pieces, text)
    named = [word for word in pieces.words if word.text == 0]
    if not named:
        return
    tags = _shares(reader, "tags", hidden, words)
    gaps = _shares(reader, "gaps", hidden, words)
    longest = int(reader.config["longest"])
    first = 0
    while first < len(words):
        word = words[first]
        gap = int(gaps[first].argmax())
        if gap:
            words_meant, share = meant(reader, hidden, word, named, before, longest=longest)
            yield Reference(
                Span(word.start, word.start),
                words_meant,
                round(share * float(gaps[first, gap]), 4),
                link=LINKS[gap - 1],
            )
        tag = int(tags[first, :GOES_ON].argmax())
        last = first
        if tag != STAYS:
            while last + 2 < len(words) and int(tags[last + 1].argmax()) == GOES_ON:
                last += 1
            words_meant, share = meant(reader, hidden, word, named, before, longest=longest)
            span = Span(word.start, words[last].end)
            yield Reference(span, words_meant, round(share * float(tags[first, tag]), 4), is_owner=tag == OWNER)
        first = last + 1


def words_with_end(pieces: Pieces, text: str) -> list[Word]:
    """Return the words of the second text and, for what was left out at its end, an empty one at the last piece."""
    last = len(pieces.ids) - 1
    return [*(word for word in pieces.words if word.text == 1), Word(1, len(text), len(text), last, last)]


def _shares(reader: Reader, head: str, hidden: NDArray[np.float32], words: Sequence[Word]) -> NDArray[np.float64]:
    return np.array([softmax(row) for row in linear(reader.heads, head, hidden[[word.first for word in words]])])


def meant(
    reader: Reader, hidden: NDArray[np.float32], mention: Word, named: Sequence[Word], before: str, *, longest: int
) -> tuple[WordSpan, float]:
    """Return the likeliest run of words of what was said before that a mention means, and its share among all runs."""
    asking = hidden[mention.first]
    scores = [
        linear(reader.heads, f"{end}_words", hidden[[word.first if end == "first" else word.last for word in named]])
        @ linear(reader.heads, f"{end}_mention", asking)
        for end in ("first", "last")
    ]
    runs = (scores[0][:, None] + scores[1][None, :]).astype(np.float64)
    runs[outside_runs(len(named), longest=longest)] = -np.inf
    first, last = divmod(int(np.argmax(runs)), len(named))
    span = Span(named[first].start, named[last].end)
    share = float(np.exp(runs[first, last] - np.logaddexp.reduce(runs, axis=None)))
    return WordSpan(before[span.start : span.end], span), share
