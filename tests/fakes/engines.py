"""Small providers behind the ports, for tests that are about services rather than about language."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conversations.core.types import Delta, Query, ReplyPart
from memory import bootstrap
from memory.bootstrap import Engine
from memory.bootstrap.roles import (
    DETECT_CONFLICTS,
    EXTRACT_FACTS,
    FIND_INSIGHTS,
    READ_ROUND,
    SUMMARISE,
    TELL_FACTS,
    WRITE_STATEMENT,
    RoleSpec,
    by_rules_alone,
)
from memory.core.knowledge_graph.conflict.learned import LearnedConflictDetector
from memory.core.ports import ChangeJudge, KnowledgeExtractor, LanguageModel
from memory.core.sentence_graph.digests.types import DigestWriters, Summary
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


class SilentDigestWriter:
    """Finds nothing to note: no facts, no insights, or a summary of no words."""

    def __init__(self, nothing: Any) -> None:
        self.nothing = nothing

    def write_many(self, batch: Sequence[object]) -> list[Any]:
        return [self.nothing for _ in batch]


@dataclass(frozen=True)
class FakeEngine(Engine):
    """An engine with players, and a language model, of a test's; the registry plays the other roles."""

    players: Mapping[str, Any] = field(default_factory=dict)
    model: LanguageModel | None = None

    @property
    def has_language_model(self) -> bool:
        return self.model is not None

    @property
    def language_model(self) -> LanguageModel | None:
        return self.model

    def player(self, role: RoleSpec[Any]) -> Any:
        return self.players[role.name] if role.name in self.players else super().player(role)


def small_models(patch: pytest.MonkeyPatch) -> LivesInExtractor:
    """Let these providers read for the memory, and return the extractor of every engine."""
    extractor = LivesInExtractor()
    patch.setattr(bootstrap, "embedder", lambda: WordEmbedder())
    patch.setattr(bootstrap, "segmenter", lambda: StopSegmenter())
    patch.setattr(bootstrap, "engine", lambda name="": engine_of(extractor, name=name))
    return extractor


def engine_of(
    extractor: KnowledgeExtractor | None,
    *,
    name: str = "test",
    language_model: LanguageModel | None = None,
    digests: DigestWriters | None = None,
    judge: ChangeJudge | None = None,
) -> Engine:
    """Return an engine that reads facts by an extractor, and writes neither statements nor, unless given, digests.

    What has changed the rules decide alone, unless there is a language model or a judge.
    """
    players: dict[str, Any] = {
        EXTRACT_FACTS.name: extractor,
        WRITE_STATEMENT.name: SilentStatementWriter(),
        READ_ROUND.name: None,
        SUMMARISE.name: digests.summaries if digests else SilentDigestWriter(Summary()),
        TELL_FACTS.name: digests.facts if digests else SilentDigestWriter([]),
        FIND_INSIGHTS.name: digests.insights if digests else SilentDigestWriter([]),
    }
    if judge is not None:
        players[DETECT_CONFLICTS.name] = lambda *, space_id, ontology: LearnedConflictDetector(judge, ontology=ontology)
    elif language_model is None:
        players[DETECT_CONFLICTS.name] = by_rules_alone()
    return FakeEngine(name, players=players, model=language_model)
