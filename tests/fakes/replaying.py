"""A language model that gives replies in order, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.core.types import Completion, Prompt, SamplingConfig


class Replaying:
    """`replies` go to the prompts in the order in which these come; an exception is a prompt's failure."""

    name = "replaying"

    def __init__(self, *replies: str | Exception) -> None:
        self.replies = list(replies)
        self.calls: list[list[Prompt]] = []

    @property
    def asked(self) -> list[Prompt]:
        return [prompt for call in self.calls for prompt in call]

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        self.calls.append(list(prompts))
        replies = [self.replies.pop(0) for _ in prompts]
        return [reply if isinstance(reply, Exception) else Completion(reply) for reply in replies]

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Iterator[str]:
        raise AssertionError("a batch of prompts is never streamed")
