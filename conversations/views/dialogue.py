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
    """A round as it is shown. `imported` are the other side's words where they were not written by a reply of ours."""

    round: Round
    message: Turn | None
    reply: Reply | None
    streamed: Streamed
    imported: Sequence[Turn] = ()


def exchanges(conversation: Conversation, *, before: int | None = None) -> list[Exchange]:
    """Return a page of rounds, oldest first: the last ones, or those before a round's index."""
    views = selectors.transcript(conversation, limit=PAGE, before=before)
    streamed = streamed_of([view.reply for view in views if view.reply is not None and not view.reply.is_terminal])
    imported = imported_turns([view.round for view in views if view.reply is None])
    return [
        Exchange(
            round=view.round,
            message=view.user_turn,
            reply=view.reply,
            streamed=streamed[view.reply.pk] if view.reply is not None else Streamed(),
            imported=imported[view.round.pk],
        )
        for view in views
    ]


def exchange_of(reply: Reply) -> Exchange:
    """Return the round of one reply."""
    return Exchange(
        round=reply.round,
        message=reply.round.turns.filter(role=Role.USER).defer("search").first(),
        reply=reply,
        streamed=streamed_of([] if reply.is_terminal else [reply])[reply.pk],
    )


def imported_turns(rounds: Sequence[Round]) -> dict[int, list[Turn]]:
    """Return the turns of the other side in rounds that no reply of ours belongs to."""
    found: dict[int, list[Turn]] = defaultdict(list)
    if rounds:
        for turn in Turn.objects.filter(round__in=rounds, role=Role.ASSISTANT).defer("search"):
            found[turn.round_id].append(turn)
    return found


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
