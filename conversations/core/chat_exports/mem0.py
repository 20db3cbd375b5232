"""Mem0's memories: a list of sentences with ids, by itself or as `results`, `memories` or `items` of an object.

The sentence is `memory`; in the exports of its OpenMemory it is `content`, and what was deleted there is still among them.

All memories about one person are one chat, which nobody answers. Each entry is a part of that chat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from conversations.core.chat_exports.types import Chat, ChatMessage, LeftOut, key_text, moment_of, title_of, words_of
from memory.core.types import Role

NAME, SPEAKER = "Mem0", "Mem0"
SENTENCE = ("memory", "content")
GONE = ("deleted", "archived")
WHOSE = ("user_id", "agent_id", "app_id", "run_id")


def is_entry(entry: Mapping[str, Any]) -> bool:
    return any(isinstance(entry.get(name), str) for name in SENTENCE) and "role" not in entry


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the part of a chat that is one memory."""
    whose = next((title_of(str(entry[name])) for name in WHOSE if entry.get(name)), "")
    said_at = moment_of(entry.get("updated_at")) or moment_of(entry.get("created_at"))
    text = next(words_of(entry[name]) for name in SENTENCE if name in entry)
    if entry.get("state") in GONE:
        return Chat("", "", None, (), Counter({LeftOut.GONE: 1}))
    left = Counter[str]({LeftOut.WORDLESS: int(not text)})
    said = ChatMessage(key_text(entry.get("id"), whose, text), Role.USER, text, said_at)
    title = f"Memories from Mem0, {whose}" if whose else "Memories from Mem0"
    return Chat(key_text(whose or "memories"), title, said_at, (said,) if text else (), +left)
