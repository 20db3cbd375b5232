"""Small providers behind the ports, for tests that are about services rather than about language."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from conversations.core.types import Delta, Query, ReplyPart
from memory.bootstrap import Engine
from memory.core.ports import KnowledgeExtractor, LanguageModel
from memory.core.types import (
    DialogueRound,
    Fact,
    GraphFragment,
    Node,
    Polarity,
    Role,
    SentenceSpan,
    Span,
    Statement,
    Utterance,
)

LIVES_IN = re.compile(r"\bI (do not )?live in (\w+)")


class WordEmbedder:
    """Unit vectors of hashed words: equal words are near, nothing is learnt."""

    name = "words"
    dimension = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or ["-"]:
                vectors[row, sum(ord(char) * 31**index for index, char in enumerate(word)) % self.dimension] += 1
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class OneMeaningEmbedder:
    """The same unit vector for every text: whatever is said is about the same."""

    name = "one meaning"
    dimension = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, dtype=np.float32)


class StopSegmenter:
    """A sentence ends at a full stop."""

    def segment_many(self, texts: Sequence[str]) -> list[list[SentenceSpan]]:
        return [
            [
                SentenceSpan(found.group(), Span(found.start(), found.end()))
                for found in re.finditer(r"[^.\s][^.]*\.?", text)
            ]
            for text in texts
        ]


class LivesInExtractor:
    """Reads "I live in X" and "I do not live in X", and calls `before` first, so that a test can fail or wait there."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.seen: list[str] = []

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        self.before()
        self.seen += [sentence.text for sentence in sentences]
        return [GraphFragment(tuple(self._facts(sentence))) for sentence in sentences]

    def _facts(self, sentence: Utterance) -> Iterator[Fact]:
        if sentence.role is Role.ASSISTANT:
            return
        for found in LIVES_IN.finditer(sentence.text):
            yield Fact(
                subject=Node(label=sentence.speaker, kind="Person", is_speaker=True),
                predicate="livesIn",
                object=Node(label=found.group(2), kind="Place"),
                span=Span(found.start(), found.end()),
                polarity=Polarity.NEGATIVE if found.group(1) else Polarity.POSITIVE,
                phrase="live in",
            )


class WordByWordResponder:
    """Says its text word by word; `between` is called before each word."""

    name = "word_by_word"

    def __init__(self, text: str, between: Callable[[int], None] = lambda index: None) -> None:
        self.text = text
        self.between = between
        self.asked: list[Query] = []
        self.closed = threading.Event()

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        self.asked.append(query)
        try:
            for index, word in enumerate(self.text.split(" ")):
                self.between(index)
                yield Delta(word if index == 0 else f" {word}")
        finally:
            self.closed.set()


class SilentStatementWriter:
    """Finds nothing to state."""

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        return [Statement() for _ in rounds]


def engine_of(
    extractor: KnowledgeExtractor, *, name: str = "test", language_model: LanguageModel | None = None
) -> Engine:
    """Return an engine whose only role of its own is the extractor."""
    return Engine(
        name=name, extractor=extractor, statement_writer=SilentStatementWriter(), language_model=language_model
    )
