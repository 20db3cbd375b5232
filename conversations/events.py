"""The numbered events of a reply: stored first, then sent to the pages that watch the conversation."""

from __future__ import annotations

from django.db import transaction

from conversations.models import Reply, ReplyEvent
from memory.events import send_to_group


def conversation_group(conversation_id: int) -> str:
    return f"conversation.{conversation_id}"


def record(reply: Reply, *, number: int, kind: str, data: dict[str, object]) -> None:
    """Store one event and send it once the running transaction is committed."""
    ReplyEvent.objects.create(reply=reply, number=number, kind=kind, data=data)
    message = {
        "type": "reply.event",
        "conversation": reply.conversation_id,
        "reply": reply.pk,
        "number": number,
        "kind": kind,
        "data": data,
    }
    transaction.on_commit(lambda: send_to_group(conversation_group(reply.conversation_id), message))


def conversation_changed(*, conversation_id: int) -> None:
    send_to_group(
        conversation_group(conversation_id), {"type": "conversation.changed", "conversation": conversation_id}
    )
