"""Claude's export: `conversations.json`, a list of chats with `chat_messages`, each of blocks.

Where messages name the one before them, the branch that ends in the last message is read. What was taken out of an attachment
is a message of its own. `memories.json` holds Claude's words about the person, not the person's: it is named, not read.
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
    return "chat_messages" in entry or "conversations_memory" in entry


def read(entry: Mapping[str, Any]) -> Chat:
    """Return the branch of a chat that ends in its last message."""
    if "chat_messages" not in entry:
        return Chat("", "", None, (), Counter({LeftOut.NOTES: 1 + len(entry.get("project_memories") or ())}))
    written: list[Mapping[str, Any]] = entry["chat_messages"]
    return chat_of_branch(
        written,
        messages_of,
        key="uuid",
        parent="parent_message_uuid",
        leaf=entry.get("current_leaf_message_uuid"),
        named=(entry.get("uuid"), entry.get("name"), entry.get("created_at")),
    )


def messages_of(one: Mapping[str, Any], place: int, left: Counter[str]) -> Iterator[ChatMessage]:
    """Yield what a message says, and what is in its attachments; count what is left out of it."""
    role = ROLES.get(str(one.get("sender")))
    if role is None:
        left[LeftOut.INSTRUCTIONS] += 1
        return
    counted, blocks = left.total(), one.get("content") or ()
    told = [block_words(block, BLOCKS, left) for block in blocks]
    attached = [words_of(file.get("extracted_content")) for file in one.get("attachments") or ()]
    left[LeftOut.FILES] += attached.count("") + len(one.get("files") or ())
    text = "\n\n".join(filter(None, told)) or ("" if blocks else words_of(one.get("text")))
    left[LeftOut.WORDLESS] += not any((text, *attached)) and left.total() == counted
    said_at, name = moment_of(one.get("created_at")), one.get("uuid")
    # What was attached stands before what is said of it.
    for suffix, words in [*((f":{number}", words) for number, words in enumerate(attached)), ("", text)]:
        if words:
            key = key_text(name and f"{name}{suffix}", role, said_at, place, words)
            yield ChatMessage(key, role, words, said_at)
