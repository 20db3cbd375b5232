"""The responder `base`: history and message straight to the language model, no memory (D-SMART's baseline)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from conversations.core.types import Delta, Query, ReplyPart, Stage
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.types import Message, MessageRole, Prompt, Role, SamplingConfig, Utterance

GENERATION = SamplingConfig()
_HISTORY_CHARACTERS = 24_000
PROMPT = Path(__file__).parent / "prompts" / "base.md.j2"


class BaseResponder:
    """Implements `Responder`: what the model says, as it comes."""

    name = "base"

    def __init__(self, *, language_model: LanguageModel, config: SamplingConfig = GENERATION) -> None:
        self._language_model = language_model
        self._config = config

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("write", "writing the reply")
        prompt = Prompt(
            (
                *render_prompt(PROMPT).messages,
                *messages_of(query.history),
                Message(MessageRole.USER, query.text),
            )
        )
        for text in self._language_model.stream(prompt, config=self._config):
            if text:
                yield Delta(text)


def messages_of(history: Sequence[Utterance], *, limit: int = _HISTORY_CHARACTERS) -> list[Message]:
    """Return the latest utterances that fit the limit as messages, oldest first; neighbours of one role are joined."""
    kept: list[Utterance] = []
    for utterance in reversed(history):
        limit -= len(utterance.text)
        if limit < 0:
            break
        kept.insert(0, utterance)
    messages: list[Message] = []
    for utterance in kept:
        role = MessageRole.ASSISTANT if utterance.role is Role.ASSISTANT else MessageRole.USER
        if messages and messages[-1].role is role:
            messages[-1] = Message(role, f"{messages[-1].content}\n{utterance.text}")
        else:
            messages.append(Message(role, utterance.text))
    return messages
