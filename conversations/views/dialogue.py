"""What the templates of the dialogue are given: rounds with their replies, as far as they have come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conversations import selectors
from conversations.models import Conversation, Reply, ReplyEvent
from memory.core.types import Role
from memory.models import Round, Turn

PAGE = 30


@dataclass(frozen=True)
class Streamed:
    """How far an unfinished reply has come: its text, its stage and the number of the last event in both."""

    text: str = ""
    stage: str = ""
    last_number: int = 0


@dataclass(frozen=True)
class Exchange:
    """A round as it is shown."""

    round: Round
    message: Turn | None
    reply: Reply | None
    streamed: Streamed
    is_last: bool


def exchanges(conversation: Conversation, *, before: int | None = None) -> list[Exchange]:
    """Return a page of rounds, oldest first: the last ones, or those before a round's index."""
    views = selectors.transcript(conversation, limit=PAGE, before=before)
    replies = [view.reply for view in views if view.reply is not None]
    streamed = streamed_of([reply for reply in replies if not reply.is_terminal])
    last = len(views) - 1
    return [
        Exchange(
            round=view.round,
            message=view.user_turn,
            reply=view.reply,
            streamed=streamed[view.reply.pk] if view.reply is not None else Streamed(),
            is_last=before is None and at == last,
        )
        for at, view in enumerate(views)
    ]


def exchange_of(reply: Reply) -> Exchange:
    """Return the round of one reply."""
    message = reply.round.turns.filter(role=Role.USER).defer("search").first()
    is_last = not Round.objects.filter(session_id=reply.round.session_id, index__gt=reply.round.index).exists()
    return Exchange(
        round=reply.round,
        message=message,
        reply=reply,
        streamed=streamed_of([] if reply.is_terminal else [reply])[reply.pk],
        is_last=is_last,
    )


def streamed_of(replies: Sequence[Reply]) -> dict[int, Streamed]:
    """Return how far each reply has come, from its stored events."""
    events: dict[int, list[ReplyEvent]] = defaultdict(list)
    if replies:
        for event in ReplyEvent.objects.filter(reply__in=replies).order_by("reply_id", "number"):
            events[event.reply_id].append(event)
    return defaultdict(Streamed, {reply_id: fold(of_reply) for reply_id, of_reply in events.items()})


def fold(events: Iterable[ReplyEvent]) -> Streamed:
    """Return what a page that had seen all these events would show."""
    text, stage, last_number = "", "", 0
    for event in events:
        last_number = event.number
        if event.kind == "delta":
            text += event.data["text"]
        elif event.kind == "stage":
            stage = event.data["detail"]
        elif event.kind == "reset":
            text = ""
    return Streamed(text=text, stage=stage, last_number=last_number)
