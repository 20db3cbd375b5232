"""LibreChat's export of a conversation: an object with its messages, in a row or each with those that follow it (`children`).

The branch that ends in the message that was written last is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conversations.core.chat_exports.types import (
    Chat,
    ChatMessage,
    LeftOut,
    block_words,
    chat_of_branch,
    key_text,
    moment_of,
    words_of,
)
from memory.core.types import Role

NAME, SPEAKER = "LibreChat", "LibreChat"
BLOCKS = {
    "think": LeftOut.INSTRUCTIONS,
    "agent_update": LeftOut.INSTRUCTIONS,
    "tool_call": LeftOut.TOOLS,
    "error": LeftOut.ERRORS,
    "image_file": LeftOut.FILES,
    "image_url": LeftOut.FILES,
    "video_url": LeftOut.FILES,
    "input_audio": LeftOut.FILES,
}


def is_entry(entry: Mapping[str, Any]) -> bool:
    return "conversationId" in entry and ("messages" in entry or "messagesTree" in entry)


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a conversation that was written last."""
    written, following = list[Mapping[str, Any]](), list(entry.get("messagesTree") or entry.get("messages") or ())[::-1]
    while following:
        one = following.pop()
        written.append(one)
        following += (one.get("children") or ())[::-1]
    last = max(reversed(written), key=lambda one: str(one.get("createdAt") or ""), default=dict[str, Any]())
    return chat_of_branch(
        written,
        message_of,
        key="messageId",
        parent="parentMessageId",
        leaf=last.get("messageId"),
        named=(entry["conversationId"], entry.get("title"), None),
    )


def message_of(one: Mapping[str, Any], place: int, left: Counter[str]) -> Iterator[ChatMessage]:
    """Yield what a message says, or count why nothing."""
    role, counted = Role.USER if one.get("isCreatedByUser") else Role.ASSISTANT, left.total()
    if one.get("error"):
        left[LeftOut.ERRORS] += 1
        return
    told = [block_words(block, BLOCKS, left) for block in one.get("content") or ()]
    text = "\n\n".join(filter(None, told)) or words_of(one.get("text"))
    left[LeftOut.FILES] += len(one.get("files") or ())
    left[LeftOut.WORDLESS] += not text and left.total() == counted
    if text:
        said_at = moment_of(one.get("createdAt"))
        yield ChatMessage(key_text(one.get("messageId"), role, said_at, place, text), role, text, said_at)
