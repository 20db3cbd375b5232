"""Open WebUI's export: a list of chats, each with a tree of messages (`chat.history`) and the message that is shown last.

Thoughts, calls of tools and code that ran stand inside of a reply, as `<details type="...">`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from conversations.core.chat_exports.types import (
    Chat,
    ChatMessage,
    LeftOut,
    branch_of,
    key_text,
    moment_of,
    title_of,
    unknown,
    words_of,
)
from memory.core.types import Role

NAME, SPEAKER = "Open WebUI", "Open WebUI"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
DETAILS = re.compile(r'<details type="(\w*)"[^>]*>.*?</details>', re.DOTALL)
INSIDE = {"reasoning": LeftOut.INSTRUCTIONS, "tool_calls": LeftOut.TOOLS, "code_interpreter": LeftOut.TOOLS}


def is_entry(entry: Mapping[str, Any]) -> bool:
    return "chat" in entry or "history" in entry


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a chat that is shown."""
    chat: Mapping[str, Any] = entry.get("chat") or entry
    history: Mapping[str, Any] = chat.get("history") or {}
    written = list((history.get("messages") or {}).values()) or chat.get("messages") or []
    shown = branch_of(written, key="id", parent="parentId", leaf=history.get("currentId"))
    left = Counter[str]({LeftOut.BRANCHES: len(written) - len(shown)})
    messages = [said for place, one in enumerate(shown) if (said := message_of(one, place, left)) is not None]
    title = title_of(entry.get("title") or chat.get("title"))
    moments = (moment_of(entry.get("created_at")), *(one.said_at for one in messages))
    started_at = next(filter(None, moments), None)
    key = key_text(entry.get("id") or chat.get("id"), title, started_at, *(one.text for one in messages[:1]))
    return Chat(key, title, started_at, tuple(messages), +left)


def message_of(one: Mapping[str, Any], place: int, left: Counter[str]) -> ChatMessage | None:
    """Return what a message says, or None with the reason counted."""
    role, counted = ROLES.get(str(one.get("role"))), left.total()
    if role is None:
        left[LeftOut.INSTRUCTIONS] += 1
        return None
    text = words_of(one.get("content"))
    if role is Role.ASSISTANT:
        for kind in DETAILS.findall(text):
            left[INSIDE.get(kind) or unknown("parts of messages", kind)] += 1
        text = DETAILS.sub("", text).strip()
    left[LeftOut.FILES] += len(one.get("files") or ())
    left[LeftOut.ERRORS] += not text and bool(one.get("error"))
    if not text:
        left[LeftOut.WORDLESS] += left.total() == counted
        return None
    said_at = moment_of(one.get("timestamp"))
    return ChatMessage(key_text(one.get("id"), role, said_at, place, text), role, text, said_at)
