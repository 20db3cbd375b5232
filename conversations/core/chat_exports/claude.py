"""Claude's export: `conversations.json`, a list of chats with `chat_messages`, each of blocks.

Where messages name the one before them, the branch that ends in the last message is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from conversations.core.chat_exports.types import (
    Chat,
    ChatMessage,
    LeftOut,
    key_text,
    moment_of,
    path_to,
    title_of,
    words_of,
)
from memory.core.types import Role

NAME, SPEAKER = "Claude", "Claude"
ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
BLOCKS = {
    "tool_use": LeftOut.TOOLS,
    "tool_result": LeftOut.TOOLS,
    "thinking": LeftOut.INSTRUCTIONS,
    "image": LeftOut.FILES,
    "document": LeftOut.FILES,
}


def is_entry(entry: Mapping[str, Any]) -> bool:
    return isinstance(entry.get("chat_messages"), list)


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a chat that ends in its last message."""
    written: list[Mapping[str, Any]] = entry["chat_messages"]
    shown = branch_of(written, entry.get("current_leaf_message_uuid"))
    left = Counter({LeftOut.BRANCHES: len(written) - len(shown)})
    messages = [said for place, one in enumerate(shown) if (said := message_of(one, place, left)) is not None]
    title, started_at = title_of(entry.get("name")), moment_of(entry.get("created_at"))
    first = messages[0].text if messages else ""
    return Chat(key_text(entry.get("uuid"), title, started_at, first), title, started_at, tuple(messages), +left)


def branch_of(written: list[Mapping[str, Any]], leaf: object) -> list[Mapping[str, Any]]:
    """Return the messages up to the leaf, or to the last one; all of them where they do not tell what they answer."""
    by_id = {one["uuid"]: one for one in written if one.get("uuid")}
    if len(by_id) < len(written) or not all("parent_message_uuid" in one for one in written):
        return written
    parents = {key: one["parent_message_uuid"] for key, one in by_id.items()}
    last = leaf if isinstance(leaf, str) and leaf in by_id else next(reversed(by_id), "")
    return [by_id[key] for key in path_to(last, parents)][::-1]


def message_of(one: Mapping[str, Any], place: int, left: Counter[LeftOut]) -> ChatMessage | None:
    """Return what a message says, or None with the reason counted."""
    role = ROLES.get(str(one.get("sender")))
    if role is None:
        left[LeftOut.INSTRUCTIONS] += 1
        return None
    blocks = [block for block in one.get("content") or () if isinstance(block, dict)]
    for block in blocks:
        if (why := BLOCKS.get(str(block.get("type")))) is not None:
            left[why] += 1
    files = [*(one.get("attachments") or ()), *(one.get("files") or ())]
    left[LeftOut.FILES] += len(files)
    told = [words_of(block.get("text")) for block in blocks if block.get("type") == "text"]
    text = "\n\n".join(filter(None, told)) or ("" if blocks else words_of(one.get("text")))
    if not text:
        left[LeftOut.WORDLESS] += not files and not blocks
        return None
    said_at = moment_of(one.get("created_at"))
    return ChatMessage(key_text(one.get("uuid"), role, said_at, place, text), role, text, said_at)
