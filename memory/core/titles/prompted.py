"""Titles by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from memory.core.ports import LanguageModel
from memory.core.prompting import ask_many, parse_json, render_prompt, settled
from memory.core.titles.ports import fitted
from memory.core.types import SamplingConfig

PROMPTS = Path(__file__).parent / "prompts"


class TitleReply(BaseModel):
    title: str


@dataclass(frozen=True)
class PromptedTitleConfig:
    """`shown` is what is read of a message (characters)."""

    shown: int = 1_000
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(temperature=0.0, max_tokens=80))


class PromptedTitleWriter:
    """A `TitleWriter` that asks a language model; what is no short phrase is no title."""

    def __init__(self, language_model: LanguageModel, *, config: PromptedTitleConfig = PromptedTitleConfig()) -> None:
        self._language_model, self._config = language_model, config

    def title_many(self, openings: Sequence[Sequence[str]]) -> list[str]:
        """Return a title an opening. Raises the first `LanguageModelError`."""
        shown = [
            "\n".join(" ".join(message.split())[: self._config.shown] for message in messages) for messages in openings
        ]
        prompts = [render_prompt(PROMPTS / "title.md.j2", schema=TitleReply, messages=messages) for messages in shown]
        read = partial(parse_json, reply_type=TitleReply)
        replies = ask_many(self._language_model, prompts, read, config=self._config.sampling)
        return [fitted(settled(reply).title) for reply in replies]
