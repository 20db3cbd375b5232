"""A memory of a few sentences that finds by shared words, and a language model that is told its replies."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from datetime import UTC, datetime, timedelta

from memory.core.types import Completion, MemoryUnit, Prompt, RetrievalQuery, SamplingConfig, TokenUsage

SUNDAY = datetime(2023, 5, 7, 12, 0, tzinfo=UTC)


class WordRecall:
    """Implements `Recall`: the units that share most words with a query, those said first before others."""

    name = "words"

    def __init__(self, *sentences: str) -> None:
        self.asked: list[tuple[str, int]] = []
        self._units = [
            MemoryUnit(str(place), words, SUNDAY + timedelta(days=place), speaker)
            for place, sentence in enumerate(sentences)
            for speaker, _, words in [sentence.partition(": ")]
        ]

    @property
    def size(self) -> int:
        return len(self._units)

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        self.asked.append((query.text, limit))
        shared = {unit.id: len(_words(query.text) & _words(f"{unit.speaker} {unit.text}")) for unit in self._units}
        found = sorted((unit for unit in self._units if shared[unit.id]), key=lambda unit: -shared[unit.id])
        return found[:limit]


class ToldModel:
    """Implements `LanguageModel`: gives its replies one after the other, and keeps the prompts."""

    name = "told"

    def __init__(self, *replies: str) -> None:
        self.prompts: list[str] = []
        self._replies = list(replies)

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.prompts += ["\n".join(message.content for message in prompt.messages) for prompt in prompts]
        return [Completion(self._replies.pop(0)) for _ in prompts]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        yield self._replies.pop(0)
        return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
