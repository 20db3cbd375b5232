"""The responder `base`: history and message straight to the language model, no memory (D-SMART's baseline)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import streamed
from conversations.core.types import Query, ReplyPart, Stage
from memory.core.ports import LanguageModel
from memory.core.prompting import render_prompt
from memory.core.types import Message, MessageRole, Prompt, Role, SamplingConfig, Utterance

GENERATION = SamplingConfig()
_HISTORY_CHARACTERS = 24_000
PROMPT = Path(__file__).parent / "prompts" / "base.md.j2"


@dataclass(frozen=True, kw_only=True)
class BaseResponder:
    """Implements `Responder`: streams what the model writes."""

    name: str = "base"
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        yield Stage("write", "writing the reply")
        prompt = Prompt(
            (
                *render_prompt(PROMPT).messages,
                *messages_of(query.history),
                Message(MessageRole.USER, query.text),
            )
        )
        yield from streamed(self.write_answer.stream(prompt, config=GENERATION))


def messages_of(history: Sequence[Utterance], *, limit: int = _HISTORY_CHARACTERS) -> list[Message]:
    """Return the latest utterances within the limit as messages, oldest first; consecutive ones of one role are joined."""
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
