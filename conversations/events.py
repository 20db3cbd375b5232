"""Stores the numbered events of a reply, then sends them to the pages that show the conversation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from conversations.models import Reply, ReplyEvent
from memory.events import send_to_group


def conversation_group(conversation_id: int) -> str:
    return f"conversation.{conversation_id}"


@dataclass(frozen=True)
class Happening:
    """An event's content: `data` is stored with it, `passing` is only sent."""

    kind: str
    data: dict[str, object]
    passing: dict[str, object] = field(default_factory=dict)


def record(reply: Reply, *, number: int, kind: str, data: dict[str, object]) -> None:
    """Store one event and send it after the commit."""
    record_all(reply, [Happening(kind, data)], first=number)


def record_all(reply: Reply, happenings: Sequence[Happening], *, first: int) -> None:
    """Store events numbered from `first` and send them after the commit."""
    rows = [
        ReplyEvent(space_id=reply.space_id, reply=reply, number=number, kind=happening.kind, data=happening.data)
        for number, happening in enumerate(happenings, first)
    ]
    ReplyEvent.objects.bulk_create(rows)
    transaction.on_commit(lambda: send_all(reply, rows, happenings))


def send_all(reply: Reply, rows: Sequence[ReplyEvent], happenings: Sequence[Happening]) -> None:
    for row, happening in zip(rows, happenings, strict=True):
        message = {
            "type": "reply.event",
            "conversation": reply.conversation_id,
            "reply": reply.pk,
            "number": row.number,
            "kind": row.kind,
            "data": {**row.data, **happening.passing},
        }
        send_to_group(conversation_group(reply.conversation_id), message)


def reply_checked(*, conversation_id: int, reply_id: int) -> None:
    """Say that what a reply states was checked: its page asks for what came of it."""
    message = {"type": "reply.checked", "conversation": conversation_id, "reply": reply_id}
    send_to_group(conversation_group(conversation_id), message)


def sources_found(*, conversation_id: int, reply_ids: Collection[int]) -> None:
    """Say, after the commit, that replies rest again on what they rested on: their page asks for them anew."""
    message = {"type": "sources.found", "conversation": conversation_id, "replies": sorted(reply_ids)}
    transaction.on_commit(lambda: send_to_group(conversation_group(conversation_id), message))


def dialogue_changed(*, conversation_id: int) -> None:
    """Say, after the commit, that other rounds stand in a dialogue: a version of one was opened or returned."""
    message = {"type": "dialogue.changed", "conversation": conversation_id}
    transaction.on_commit(lambda: send_to_group(conversation_group(conversation_id), message))


def conversation_changed(*, conversation_id: int) -> None:
    send_to_group(
        conversation_group(conversation_id), {"type": "conversation.changed", "conversation": conversation_id}
    )
