"""Reads what a client of OpenAI's asks for, and refuses by name what cannot be done here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from conversations.core.client_chat import ClientMessage, Said
from conversations.doors.openai.refusals import Refused
from memory.core.plain_text import NOT_PLAIN, is_plain
from memory.core.types import Message, MessageRole, Role, SamplingConfig

# Each with the values that ask for nothing.
NOT_HERE: Mapping[str, tuple[Any, ...]] = {
    "n": (1,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "parallel_tool_calls": (True, False),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
    "web_search_options": (),
}
CHAT_HEADERS = ("X-DSMART-Chat", "X-OpenWebUI-Chat-Id")
CHAT_LIMIT = 200
# What Open WebUI begins each message with that it sends by itself: for titles, tags, follow-up questions, searches.
TASK = "### Task:"


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatMessage(BaseModel):
    role: str
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[Any] | None = None
    function_call: Any = None


class ChatRequest(BaseModel):
    """The body of a request; parameters that are not named here are taken and change nothing."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())

    model: str = Field(min_length=1, description="the name of a model")
    messages: list[ChatMessage] = Field(
        min_length=1, description="a list of one message or more, each with a role, and with words or parts as content"
    )
    stream: bool = Field(False, description="true or false")
    stream_options: StreamOptions | None = Field(None, description='an object such as {"include_usage": true}')
    user: str = Field("", description="a text")
    temperature: float | None = Field(None, ge=0, le=2, description="a number from 0 to 2")
    max_tokens: int | None = Field(None, ge=1, description="a whole number, 1 or more")
    max_completion_tokens: int | None = Field(None, ge=1, description="a whole number, 1 or more")
    seed: int | None = Field(None, description="a whole number")

    def sampling(self) -> SamplingConfig:
        """Return how a language model is to draw a reply; what was not asked for is as always."""
        usual = SamplingConfig()
        return SamplingConfig(
            temperature=usual.temperature if self.temperature is None else self.temperature,
            max_tokens=self.max_completion_tokens or self.max_tokens or usual.max_tokens,
            seed=self.seed,
        )


@dataclass(frozen=True)
class Asked:
    """A request that can be answered: the body, and its messages as instruction, history and question."""

    body: ChatRequest
    message: ClientMessage

    @property
    def is_task(self) -> bool:
        """Return whether a program asks this by itself, and no person does."""
        return self.message.text.lstrip().startswith(TASK)

    @property
    def tells_usage(self) -> bool:
        return self.body.stream_options is not None and self.body.stream_options.include_usage

    def prompt_messages(self) -> tuple[Message, ...]:
        """Return the messages as they are, with one system message."""
        system = (Message(MessageRole.SYSTEM, self.message.instruction),) if self.message.instruction else ()
        said = (*self.message.history, Said(Role.USER, self.message.text))
        return (*system, *(Message(MessageRole(one.role.value), one.text) for one in said))


def asked_in(body: bytes, headers: Mapping[str, str]) -> Asked:
    """Return what a request asks for. Raises `Refused`."""
    content = content_of(body)
    for name, nothing in NOT_HERE.items():
        if content.get(name) is not None and content[name] not in nothing:
            raise Refused(f"{name!r} is not supported here. Leave it out of the request.", name, code="unsupported")
    try:
        request = ChatRequest.model_validate({name: value for name, value in content.items() if value is not None})
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        wanted = ChatRequest.model_fields[name].description
        raise Refused(f"{name!r} has to be {wanted}.", name, code="invalid_value") from error
    return Asked(request, message_of(request, headers))


def content_of(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Refused("The body is no JSON object. Send one with model and messages.")
    if not is_plain(content):
        raise Refused(NOT_PLAIN)
    return content


def message_of(request: ChatRequest, headers: Mapping[str, str]) -> ClientMessage:
    """Return the last message, which is the person's, with the history and the instructions before it."""
    texts = [(one.role, text_of(one, place)) for place, one in enumerate(request.messages)]
    instruction = "\n\n".join(text for role, text in texts if role in {"system", "developer"} and text.strip())
    said = [Said(Role(role), text) for role, text in texts if role in {"user", "assistant"} and text.strip()]
    if texts[-1][0] != "user" or not said or said[-1].role is not Role.USER:
        raise Refused("The last message has to be the user's, in words.", "messages", code="invalid_value")
    chat = next((value for name in CHAT_HEADERS if (value := headers.get(name, "").strip())), "")
    if len(chat) > CHAT_LIMIT:
        raise Refused(f"The id of a chat has at most {CHAT_LIMIT} characters.")
    return ClientMessage(
        text=said[-1].text.strip(),
        history=tuple(said[:-1]),
        instruction=instruction,
        chat=chat,
        is_retry=headers.get("X-Stainless-Retry-Count", "0").strip() not in {"", "0"},
        is_remembered=headers.get("X-DSMART-Remember", "").strip().lower() not in {"no", "false", "0"},
    )


def text_of(message: ChatMessage, place: int) -> str:
    """Return the words of a message. Raises `Refused`, with the place, for anything else."""
    param = f"messages[{place}]"
    if message.role not in {"system", "developer", "user", "assistant"} or message.tool_calls or message.function_call:
        raise Refused(
            "Tools and functions are not supported here. Send messages of system, user and assistant only.",
            f"{param}.role",
            code="unsupported",
        )
    if not isinstance(message.content, list):
        return message.content or ""
    words = []
    for number, part in enumerate(message.content):
        kind: Literal["text", "refusal"] = part.get("type")  # type: ignore[assignment]
        if kind not in {"text", "refusal"} or not isinstance(part.get(kind), str):
            raise Refused(
                f"A part of the kind {kind!r} is not supported here: images, sound and files are not read. Send text.",
                f"{param}.content[{number}].type",
                code="unsupported",
            )
        words.append(part[kind])
    return "\n".join(words)
