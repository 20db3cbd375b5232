"""Writes a prompt's messages as one text in the chat format of a model's tokenizer."""

from collections.abc import Iterator
from typing import Any

import jinja2

from memory.core.types import MessageRole, Prompt

PLAIN_STOP = "\nUser:"
THINKING_OPENED = "<think>"
_PLAIN_NAMES = {MessageRole.SYSTEM: "System", MessageRole.USER: "User", MessageRole.ASSISTANT: "Assistant"}


def chat_text(tokenizer: Any, prompt: Prompt, *, is_answered_at_once: bool = False) -> str:
    """Return the prompt in the tokenizer's chat template, or in a plain format where it has none.

    A message can never contain the template's own marks. For a template without a system role, the system message is put at
    the head of the first user message.
    """
    messages = [
        {"role": str(message.role), "content": disarmed(tokenizer, message.content)} for message in prompt.messages
    ]
    if not tokenizer.chat_template:
        lines = [
            f"{_PLAIN_NAMES[source.role]}: {message['content']}"
            for source, message in zip(prompt.messages, messages, strict=True)
        ]
        return "\n".join([*lines, "Assistant:"])
    # A reply that is bound to a schema, or is its first word, has no room to think.
    choices = {"enable_thinking": False} if is_answered_at_once or prompt.schema is not None else {}
    try:
        return _templated(tokenizer, messages, choices)
    except jinja2.TemplateError:
        return _templated(tokenizer, _without_system(messages), choices)


def tokens_of(tokenizer: Any, text: str) -> list[int]:
    """Return the tokens of a prompt in the form of `chat_text`. A template brings its own first token."""
    return list(tokenizer(text, add_special_tokens=has_plain_format(tokenizer))["input_ids"])


def reply_tokens(tokenizer: Any, text: str) -> list[int]:
    """Return the tokens of a whole reply as a model is to write it behind a prompt, its end among them."""
    said = f" {text}" if has_plain_format(tokenizer) else text
    tokens = list(tokenizer(disarmed(tokenizer, said), add_special_tokens=False)["input_ids"])
    return tokens if tokenizer.eos_token_id is None else [*tokens, tokenizer.eos_token_id]


def has_plain_format(tokenizer: Any) -> bool:
    """Return whether the plain format is used, with which a model may go on to write the user's next message."""
    return not tokenizer.chat_template


def disarmed(tokenizer: Any, content: str) -> str:
    """Return content without special tokens of the tokenizer: a space breaks each."""
    specials = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
    for token in sorted(specials, key=len, reverse=True):
        if len(token) > 1:
            content = content.replace(token, f"{token[0]} {token[1:]}")
    return content


def until(pieces: Iterator[str], mark: str) -> Iterator[str]:
    """Yield pieces up to a mark, holding back only text that may be the beginning of it."""
    held = ""
    for piece in pieces:
        held += piece
        before, found, _ = held.partition(mark)
        if found:
            if before:
                yield before
            return
        kept = next((size for size in range(min(len(mark) - 1, len(held)), 0, -1) if mark.startswith(held[-size:])), 0)
        if len(held) > kept:
            yield held[: len(held) - kept]
            held = held[len(held) - kept :]
    if held:
        yield held


def _templated(tokenizer: Any, messages: list[dict[str, str]], choices: dict[str, bool]) -> str:
    return str(tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **choices))


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    system = [message["content"] for message in messages if message["role"] == "system"]
    others = [dict(message) for message in messages if message["role"] != "system"]
    if others and system:
        others[0]["content"] = "\n\n".join([*system, others[0]["content"]])
    return others
