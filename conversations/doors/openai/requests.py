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
LAST_IN_WORDS = "The last message has to be the user's, in words."
# What Open WebUI begins each message with that it sends by itself: for titles, tags, follow-up questions, searches.
TASK = "### Task:"


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatMessage(BaseModel):
    """A message; what it may hold besides words is left out of earlier ones, and refused in the last."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Any = None

    @property
    def is_instruction(self) -> bool:
        return self.role in {"system", "developer"}

    @property
    def parts(self) -> list[Any]:
        return self.content if isinstance(self.content, list) else [self.content or ""]

    @property
    def text(self) -> str:
        """Return the words, without what is none."""
        return "\n".join(words for part in self.parts if (words := words_of(part)) is not None)


class ChatRequest(BaseModel):
    """The body of a request; parameters that are not named here are taken and change nothing."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())

    model: str = Field(min_length=1, description="the name of a model")
    messages: list[ChatMessage] = Field(
        min_length=1,
        description="a list of one message or more, each with a role (system, developer, user, assistant, tool or "
        "function), and with words or parts as content",
    )
    stream: bool = Field(False, description="true or false")
    stream_options: StreamOptions | None = Field(None, description='an object such as {"include_usage": true}')
    user: str = Field("", description="a text")
    temperature: float | None = Field(None, ge=0, le=2, description="a number from 0 to 2")
    max_tokens: int | None = Field(None, ge=1, description="a whole number, 1 or more")
    max_completion_tokens: int | None = Field(None, ge=1, description="a whole number, 1 or more")
    seed: int | None = Field(None, ge=-(2**63), lt=2**63, description="a whole number")

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
    """Return the last message, which is the person's, with what was said before it and all instructions."""
    instructions = [one.text for one in request.messages if one.is_instruction and one.text.strip()]
    talk = [(place, one) for place, one in enumerate(request.messages) if not one.is_instruction]
    if not talk or talk[-1][1].role == "assistant":
        raise Refused(LAST_IN_WORDS, "messages", code="invalid_value")
    words_check(*talk[-1])
    said = [Said(Role(one.role), one.text) for _, one in talk if one.role in {"user", "assistant"} and one.text.strip()]
    chat = next((value for name in CHAT_HEADERS if (value := headers.get(name, "").strip())), "")
    if len(chat) > CHAT_LIMIT:
        raise Refused(f"The id of a chat has at most {CHAT_LIMIT} characters.")
    return ClientMessage(
        text=said[-1].text.strip(),
        history=tuple(said[:-1]),
        instruction="\n\n".join(instructions),
        chat=chat,
        is_retry=headers.get("X-Stainless-Retry-Count", "0").strip() not in {"", "0"},
        is_remembered=headers.get("X-DSMART-Remember", "").strip().lower() not in {"no", "false", "0"},
    )


def words_check(place: int, last: ChatMessage) -> None:
    """Raise `Refused`, with the place, where the last message is not all words of the person."""
    param = f"messages[{place}]"
    if last.role != "user":
        raise Refused(
            "Results of tools and functions are not supported here. End with a message of the user.",
            f"{param}.role",
            code="unsupported",
        )
    for number, part in enumerate(last.parts):
        if words_of(part) is None:
            kind = part.get("type") if isinstance(part, dict) else part
            raise Refused(
                f"A part of the kind {kind!r:.40} is not supported here: images, sound and files are not read. Send text.",
                f"{param}.content[{number}].type",
                code="unsupported",
            )
    if not last.text.strip():
        raise Refused(LAST_IN_WORDS, "messages", code="invalid_value")


def words_of(part: object) -> str | None:
    """Return the words of a part of a message; None where it is anything else."""
    if isinstance(part, str):
        return part
    words = part.get(kind) if isinstance(part, dict) and (kind := part.get("type")) in ("text", "refusal") else None
    return words if isinstance(words, str) else None
