"""Open WebUI's export: a list of chats, each with a tree of messages (`chat.history`) and the message that is shown last.

Thoughts, calls of tools and code that ran stand inside of a reply, as `<details type="...">`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conversations.core.chat_exports.types import (
    Chat,
    ChatMessage,
    LeftOut,
    chat_of_branch,
    key_text,
    moment_of,
    unknown,
    words_of,
)
from memory.core.types import Role

NAME, SPEAKER = "Open WebUI", "Open WebUI"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
DETAILS, DETAILS_END = re.compile(r'<details type="(\w*)"[^<>]*>'), "</details>"
INSIDE = {"reasoning": LeftOut.INSTRUCTIONS, "tool_calls": LeftOut.TOOLS, "code_interpreter": LeftOut.TOOLS}


def is_entry(entry: Mapping[str, Any]) -> bool:
    return "chat" in entry or "history" in entry


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a chat that is shown."""
    chat: Mapping[str, Any] = entry.get("chat") or entry
    history: Mapping[str, Any] = chat.get("history") or {}
    written = list((history.get("messages") or {}).values()) or chat.get("messages") or []
    return chat_of_branch(
        written,
        message_of,
        key="id",
        parent="parentId",
        leaf=history.get("currentId"),
        named=(entry.get("id") or chat.get("id"), entry.get("title") or chat.get("title"), entry.get("created_at")),
    )


def message_of(one: Mapping[str, Any], place: int, left: Counter[str]) -> Iterator[ChatMessage]:
    """Yield what a message says, or count why nothing."""
    role, counted = ROLES.get(str(one.get("role"))), left.total()
    if role is None:
        left[LeftOut.INSTRUCTIONS] += 1
        return
    text = words_of(one.get("content"))
    if role is Role.ASSISTANT:
        text, kinds = without_details(text)
        left.update(INSIDE.get(kind) or unknown("parts of messages", kind) for kind in kinds)
    left[LeftOut.FILES] += len(one.get("files") or ())
    left[LeftOut.ERRORS] += not text and bool(one.get("error"))
    left[LeftOut.WORDLESS] += not text and left.total() == counted
    if text:
        said_at = moment_of(one.get("timestamp"))
        yield ChatMessage(key_text(one.get("id"), role, said_at, place, text), role, text, said_at)


def without_details(text: str) -> tuple[str, list[str]]:
    """Return the words outside of what is folded away, and the kinds of that, in time linear in the text."""
    kept, kinds, at = list[str](), list[str](), 0
    for opening in DETAILS.finditer(text):
        if opening.start() < at:
            continue
        end = text.find(DETAILS_END, opening.end())
        if end < 0:
            break
        kept.append(text[at : opening.start()])
        kinds.append(opening[1])
        at = end + len(DETAILS_END)
    return "".join([*kept, text[at:]]).strip(), kinds
