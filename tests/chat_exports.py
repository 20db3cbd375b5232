"""Exports of other programs in the shape in which those write them, made up here."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def chatgpt_message(
    key: str, parent: str | None, role: str, *parts: Any, kind: str = "text", at: float = 0, **more: Any
):
    """A node of ChatGPT's tree, with the fields that a message has there."""
    said = {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": NOON.timestamp() + at,
        "update_time": None,
        "content": {"content_type": kind, "parts": list(parts)},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
    }
    return {"id": key, "message": said | more, "parent": parent, "children": []}


def chatgpt_chat(
    key: str = "chat-1", title: str = "A move", *nodes: dict[str, Any], current: str | None = None
) -> dict[str, Any]:
    nodes = nodes or (
        chatgpt_message(f"{key}-a", "root", "user", "I live in Lyon.", at=60),
        chatgpt_message(f"{key}-b", f"{key}-a", "assistant", "Lyon is lovely.", at=70),
        chatgpt_message(f"{key}-c", f"{key}-b", "user", "I work for Acme.", at=80),
        chatgpt_message(f"{key}-d", f"{key}-c", "assistant", "What do you do there?", at=90),
    )
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    mapping |= {node["id"]: node for node in nodes}
    for node in mapping.values():
        if node["parent"]:
            mapping[node["parent"]]["children"].append(node["id"])
    return {
        "title": title,
        "create_time": NOON.timestamp(),
        "update_time": NOON.timestamp() + 100,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": current or nodes[-1]["id"],
        "conversation_id": key,
        "id": key,
        "default_model_slug": "gpt-4o",
    }


def claude_message(key: str, sender: str, *texts: str, minute: int = 0, **more: Any) -> dict[str, Any]:
    said_at = f"2024-05-01T12:{minute:02}:00.123456Z"
    return {
        "uuid": key,
        "text": "\n".join(texts),
        "content": [
            {"start_timestamp": said_at, "stop_timestamp": said_at, "type": "text", "text": text} for text in texts
        ],
        "sender": sender,
        "created_at": said_at,
        "updated_at": said_at,
        "attachments": [],
        "files": [],
    } | more


def claude_chat(key: str = "claude-1", name: str = "A dog", *messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "uuid": key,
        "name": name,
        "created_at": "2024-05-01T12:00:00.000000Z",
        "updated_at": "2024-05-01T13:00:00.000000Z",
        "account": {"uuid": "account"},
        "chat_messages": list(messages)
        or [
            claude_message(f"{key}-a", "human", "I have a dog named Rex.", minute=1),
            claude_message(f"{key}-b", "assistant", "How old is Rex?", minute=2),
        ],
    }


def mem0_memory(key: str, text: str, user: str = "ana") -> dict[str, Any]:
    return {
        "id": key,
        "memory": text,
        "hash": "0" * 32,
        "metadata": None,
        "created_at": "2024-05-01T05:00:00.000000-07:00",
        "updated_at": None,
        "user_id": user,
    }


def openmemory_memory(key: str, text: str, state: str = "active") -> dict[str, Any]:
    return {
        "id": key,
        "user_id": "ana-id",
        "app_id": "app",
        "content": text,
        "metadata": {},
        "state": state,
        "created_at": "2024-05-01T12:00:00+00:00",
        "updated_at": None,
        "archived_at": None,
        "deleted_at": None,
        "category_ids": [],
    }


def openwebui_message(
    key: str, parent: str | None, role: str, content: str, at: float = 0, **more: Any
) -> dict[str, Any]:
    return {
        "id": key,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": content,
        "timestamp": int(NOON.timestamp() + at),
    } | more


def openwebui_chat(key: str = "owui-1", *messages: dict[str, Any]) -> dict[str, Any]:
    reply = '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\nhm\n</details>\nHow old is Tom?'
    messages = messages or (
        openwebui_message(f"{key}-a", None, "user", "I have a cat named Tom.", at=60, files=[{"type": "file"}]),
        openwebui_message(f"{key}-b", f"{key}-a", "assistant", "Who?", at=70),
        openwebui_message(f"{key}-c", f"{key}-a", "assistant", reply, at=80, model="llama3"),
    )
    history = {"messages": {one["id"]: one for one in messages}, "currentId": messages[-1]["id"]}
    return {
        "id": key,
        "user_id": "user",
        "title": "A cat",
        "chat": {"id": "", "title": "A cat", "models": ["llama3"], "history": history, "messages": [], "tags": []},
        "updated_at": int(NOON.timestamp()) + 100,
        "created_at": int(NOON.timestamp()),
        "share_id": None,
        "archived": False,
        "pinned": False,
        "meta": {},
        "folder_id": None,
    }


def librechat_message(
    key: str, parent: str | None, text: str, *, by_person: bool = False, minute: int = 0, **more: Any
) -> dict[str, Any]:
    return {
        "messageId": key,
        "conversationId": "libre-1",
        "parentMessageId": parent or "00000000-0000-0000-0000-000000000000",
        "sender": "User" if by_person else "GPT-4",
        "text": text,
        "isCreatedByUser": by_person,
        "error": False,
        "unfinished": False,
        "createdAt": f"2024-05-01T12:{minute:02}:00.000Z",
    } | more


def librechat_chat(key: str = "libre-1", *messages: dict[str, Any]) -> dict[str, Any]:
    content = [{"type": "think", "think": "hm"}, {"type": "text", "text": "How old is Kiki?"}]
    return {
        "conversationId": key,
        "endpoint": "openAI",
        "title": "A bird",
        "exportAt": "12:30:00 GMT+0000 (Coordinated Universal Time)",
        "branches": True,
        "recursive": False,
        "messages": list(messages)
        or [
            librechat_message(f"{key}-a", None, "I have a bird named Kiki.", by_person=True, minute=1),
            librechat_message(f"{key}-c", f"{key}-a", "", minute=3, content=content),
            librechat_message(f"{key}-b", f"{key}-a", "Who?", minute=2),
        ],
    }


def written(content: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(content).encode())


def zipped(content: Any, name: str = "conversations.json", **others: str) -> io.BytesIO:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", "{}")
        for other, text in others.items():
            archive.writestr(f"{other}.json", text)
        archive.writestr(name, json.dumps(content))
    held.seek(0)
    return held
