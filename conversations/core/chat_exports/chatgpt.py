"""ChatGPT's export: `conversations.json`, a list of chats, each a tree of messages (`mapping`) with the branch that is shown.

Only the branch that ends in `current_node` is read. Of a message with images only its words are. A chat that was marked as
not to be remembered is left out.
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
    key_text,
    moment_of,
    path_to,
    title_of,
    unknown,
    words_of,
)
from memory.core.types import Role

NAME, SPEAKER = "ChatGPT", "ChatGPT"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
SPOKEN = frozenset({"text", "multimodal_text"})
INSTRUCTING = frozenset({"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"})
OF_TOOLS = ("code", "execution_output", "computer_output", "tether_quote", "tether_browsing_display", "sonic_webpage")
# References to sources are written between characters that no font has.
REFERENCE = re.compile("\ue200[^\ue200\ue201]*\ue201")


def is_entry(entry: Mapping[str, Any]) -> bool:
    return "mapping" in entry


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a chat that is shown."""
    if entry.get("is_do_not_remember"):
        return Chat("", "", None, (), Counter({LeftOut.NOT_REMEMBERED: 1}))
    nodes: Mapping[str, Any] = entry["mapping"]
    parents = {key: node.get("parent") for key, node in nodes.items()}
    shown = entry.get("current_node")
    branch = list(path_to(str(shown) if shown in nodes else last_said(nodes), parents))[::-1]
    left = Counter[str]({LeftOut.BRANCHES: sum(is_spoken(nodes[key]) for key in nodes.keys() - set(branch))})
    messages = [said for key in branch if (said := message_of(key, nodes[key], left)) is not None]
    key = entry.get("conversation_id") or entry.get("id")
    title, started_at = title_of(entry.get("title")), moment_of(entry.get("create_time"))
    return Chat(key_text(key, title, started_at, *branch[:2]), title, started_at, tuple(messages), +left)


def last_said(nodes: Mapping[str, Any]) -> str:
    """Return the node without answers that was written last, where the export does not tell which branch is shown."""
    leaves = [key for key, node in nodes.items() if not node.get("children")]
    return max(leaves, key=lambda key: (nodes[key].get("message") or {}).get("create_time") or 0, default="")


def is_spoken(node: Mapping[str, Any]) -> bool:
    message = node.get("message") or {}
    return (message.get("author") or {}).get("role") in ROLES and bool(text_of(message))


def message_of(key: str, node: Mapping[str, Any], left: Counter[str]) -> ChatMessage | None:
    """Return what a node says, or None with the reason counted; a node without a message is the root."""
    message = node.get("message")
    if not message:
        return None
    role, content = (message.get("author") or {}).get("role"), message.get("content") or {}
    hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
    if role not in ROLES or hidden or content.get("content_type") in INSTRUCTING:
        if text_of(message) or role == "tool" or content.get("content_type") in INSTRUCTING:
            left[LeftOut.TOOLS if role == "tool" else LeftOut.INSTRUCTIONS] += 1
        return None
    kind, recipient = content.get("content_type"), message.get("recipient")
    if kind not in SPOKEN or recipient not in ("all", None):
        is_known = kind in SPOKEN or kind in OF_TOOLS or recipient not in ("all", None)
        left[LeftOut.TOOLS if is_known else unknown("messages", kind)] += 1
        return None
    pictures = [
        part for part in content.get("parts") or () if isinstance(part, dict) and not words_of(part.get("text"))
    ]
    left[LeftOut.FILES] += len(pictures)
    text = text_of(message)
    if not text:
        left[LeftOut.WORDLESS] += not pictures and role == "user"
        return None
    return ChatMessage(key_text(message.get("id") or key), ROLES[role], text, moment_of(message.get("create_time")))


def text_of(message: Mapping[str, Any]) -> str:
    """Return the words of a message: its parts that are text, and what was understood of speech."""
    parts = (message.get("content") or {}).get("parts") or ()
    told = [words_of(part.get("text") if isinstance(part, dict) else part) for part in parts]
    return REFERENCE.sub("", "\n\n".join(filter(None, told))).strip()
