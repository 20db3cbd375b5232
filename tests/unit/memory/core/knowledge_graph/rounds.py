"""Rounds of a conversation in short: one line a sentence, "Ana: ..." or "assistant: ...", and a model that replays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from memory.core.types import Completion, DialogueRound, Prompt, Role, SamplingConfig, Utterance

SAID_AT = datetime(2024, 5, 14, 9, 30, tzinfo=UTC)


def dialogue_round(*lines: str) -> DialogueRound:
    parts = [line.partition(": ") for line in lines]
    return DialogueRound(
        tuple(
            Utterance(speaker, Role.ASSISTANT if speaker == "assistant" else Role.USER, text, SAID_AT)
            for speaker, _, text in parts
        )
    )


class Replaying:
    """A language model that gives replies in order, and keeps what it was asked."""

    name = "replaying"

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.asked: list[Prompt] = []

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.asked += prompts
        replies = [self.replies.pop(0) for _ in prompts]
        return [Completion(reply) if isinstance(reply, str) else reply for reply in replies]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Iterator[str]:
        raise NotImplementedError
