"""The message reader: facts in a message, each a predicate, an object, a subject and flags, with a calibrated probability.

Every run of up to eight words is scored against every predicate. Where runs of one predicate overlap, the surest stays.
A message that is longer than the encoder's window is read in parts, each with the end of the one before as its context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory.adapters.readers.encoder import OnnxReader, Reader, linear, sigmoid, silu
from memory.adapters.readers.pieces import Pieces, Word
from memory.core.types import FactFlag, MessageInContext, ReadFact, Span, WordSpan

KIND = "message reader"
# Characters of a part of a long message: well inside the window for most texts, whatever they are written in.
PART = 400
SENTENCE_END = re.compile(r"[.!?\n]+\s+|\n+")
LONGEST_SUBJECT = 5


class OnnxMessageReader(OnnxReader):
    """Implements `MessageReader` with the folder that `manage.py train message-reader` writes."""

    kind = KIND

    def read_many(
        self, messages: Sequence[MessageInContext], *, least: float | None = None
    ) -> list[tuple[ReadFact, ...]]:
        """Return the facts of each message, in the order of their objects; those of `least` or more (default: fitted)."""
        reader = self.load()
        least = float(reader.config["threshold"]) if least is None else least
        parts = [(place, *part) for place, message in enumerate(messages) for part in parts_of(message)]
        pieces = [reader.cut(before, text) for _, before, text, _ in parts]
        found: list[list[ReadFact]] = [[] for _ in messages]
        for place, hidden in reader.hidden(pieces):
            message, before, text, start = parts[place]
            for fact in facts_in(reader, pieces[place], hidden, texts=(before, text), least=least):
                placed = fact if start == 0 else _placed(fact, start, before)
                found[message] += [] if placed is None else [placed]
        return [tuple(sorted(facts, key=lambda fact: fact.object.span.start)) for facts in found]


def parts_of(message: MessageInContext) -> Iterator[tuple[str, str, int]]:
    """Yield the parts of a message as (what was said before, part, where it begins)."""
    if len(message.text) <= PART:
        yield message.before, message.text, 0
        return
    ends = [match.end() for match in SENTENCE_END.finditer(message.text)] + [len(message.text)]
    start, before = 0, message.before
    while start < len(message.text):
        within = [end for end in ends if start < end <= start + PART]
        end = within[-1] if within else min(start + PART, len(message.text))
        yield before, message.text[start:end], start
        start, before = end, message.text[start:end]


def facts_in(
    reader: Reader, pieces: Pieces, hidden: NDArray[np.float32], *, texts: tuple[str, str], least: float
) -> list[ReadFact]:
    """Return the facts of one text whose probability is at least `least`."""
    longest = int(reader.config["longest_span"])
    table = [
        (first, last)
        for first in range(len(pieces.words))
        for last in range(first, min(first + longest, len(pieces.words)))
        if pieces.words[first].text == pieces.words[last].text
    ]
    if not table:
        return []
    first, last = np.array(table).T
    heads = reader.heads
    words = pieces.words
    begins = np.array([word.first for word in words])
    ends = np.array([word.last for word in words])
    spans = silu(
        linear(heads, "begin", hidden)[begins[first]]
        + linear(heads, "end", hidden)[ends[last]]
        + heads["length.weight"][last - first]
    )
    labels = linear(heads, "label", heads["glosses"])
    bias = linear(heads, "label_bias", heads["glosses"])
    logits = spans @ labels.T / np.sqrt(hidden.shape[1]) + bias.T
    probabilities = sigmoid((logits / float(reader.config["temperature"])).astype(np.float32))
    predicates: Sequence[str] = reader.config["predicates"]
    found = []
    for span, predicate in _surest(probabilities, first, last, least=least):
        relation = silu(linear(heads, "relation", np.concatenate([spans[span], labels[predicate]])))
        subject, _ = pointed_at(heads, hidden, relation, words)
        flags = sigmoid(linear(heads, "flags", relation))
        found.append(
            ReadFact(
                subject=None if subject is None else _words(texts, words[subject[0]], words[subject[1]]),
                predicate=predicates[predicate],
                object=_words(texts, words[first[span]], words[last[span]]),
                flags=frozenset(
                    flag
                    for flag, value in zip(FactFlag, flags, strict=True)
                    if value >= reader.config["flag_threshold"]
                ),
                probability=round(float(probabilities[span, predicate]), 4),
            )
        )
    return found


def _surest(
    probabilities: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64], *, least: float
) -> Iterator[tuple[int, int]]:
    """Yield (span, predicate) from the surest on, but none that overlaps a surer one of its predicate."""
    rows, columns = np.nonzero(probabilities >= least)
    taken: dict[int, list[int]] = {}
    for place in np.argsort(-probabilities[rows, columns], kind="stable"):
        span, predicate = int(rows[place]), int(columns[place])
        if all(last[other] < first[span] or last[span] < first[other] for other in taken.get(predicate, ())):
            taken.setdefault(predicate, []).append(span)
            yield span, predicate


def pointed_at(
    heads: Mapping[str, NDArray[np.float32]],
    hidden: NDArray[np.float32],
    pointing: NDArray[np.float32],
    words: Sequence[Word],
    name: str = "subject",
) -> tuple[tuple[int, int] | None, NDArray[np.float32]]:
    """Return the first and last word pointed at, or None for what the first piece stands for (the speaker); all scores."""
    scale = np.sqrt(hidden.shape[1])
    begin = linear(heads, f"{name}_begin", hidden) @ pointing / scale
    end = linear(heads, f"{name}_end", hidden) @ pointing / scale
    runs: list[tuple[int, int] | None] = [
        None,
        *(
            (start, stop)
            for start in range(len(words))
            for stop in range(start, min(start + LONGEST_SUBJECT, len(words)))
            if words[stop].text == words[start].text
        ),
    ]
    scores = [
        begin[0] + end[0] if run is None else begin[words[run[0]].first] + end[words[run[1]].last] for run in runs
    ]
    return runs[int(np.argmax(scores))], np.array(scores, dtype=np.float32)


def _words(texts: tuple[str, str], first: Word, last: Word) -> WordSpan:
    return WordSpan(texts[first.text][first.start : last.end], Span(first.start, last.end), is_before=first.text == 0)


def _placed(fact: ReadFact, start: int, before: str) -> ReadFact | None:
    """Return a fact of a later part with its places in the whole message; None where its object is of the part before."""
    if fact.object.is_before:
        return None
    subject = fact.subject
    if subject is not None:
        subject = _shifted(subject, start - len(before) if subject.is_before else start)
    return replace(fact, object=_shifted(fact.object, start), subject=subject)


def _shifted(words: WordSpan, start: int) -> WordSpan:
    return WordSpan(words.text, Span(words.span.start + start, words.span.end + start))
