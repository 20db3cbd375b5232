"""Prepares rounds with their replies, finished or not, for the templates of the dialogue."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import Http404

from conversations import selectors
from conversations.models import Conversation, Reply, ReplyEvent
from conversations.models.reply import TERMINAL_STATES
from conversations.selectors import Versions
from memory.core.types import Role
from memory.models import Round, Turn
from memory.selectors.choices import engine_labels

PAGE = 30
PAGES_OPENED = 10


@dataclass(frozen=True)
class Streamed:
    """The progress of an unfinished reply when it was read: text, stage, and the number of the last event.

    The event that ends a reply is stored in the transaction that ends it: if it is not among the events read (`has_ended`),
    it comes after the last number.
    """

    text: str = ""
    stage: str = ""
    last_number: int = 0
    has_ended: bool = False


@dataclass(frozen=True)
class Exchange:
    """A round as it is shown, with its engine's name. `imported` are words of the other side that no reply of ours wrote.

    `is_checked` is true where the conversation asks that what replies state is checked. `versions` is None where there is but
    one.
    """

    round: Round
    message: Turn | None
    reply: Reply | None
    streamed: Streamed
    imported: Sequence[Turn] = ()
    engine: str = ""
    is_checked: bool = False
    versions: Versions | None = None


def exchanges(conversation: Conversation, *, before: int | None = None, since: int | None = None) -> list[Exchange]:
    """Return a page of rounds, oldest first: the last ones, or those before a round's index.

    Those since an index are as many pages as a person may have opened.
    """
    limit = PAGE if since is None else PAGE * PAGES_OPENED
    views = selectors.transcript(conversation, limit=limit, before=before, since=since or 0)
    streamed = streamed_of([view.reply for view in views if view.reply is not None and not view.reply.is_terminal])
    if any(so_far.has_ended for so_far in streamed.values()):
        # A reply ended after its state was read and before its events were.
        return exchanges(conversation, before=before, since=since)
    imported = imported_turns([view.round for view in views if view.reply is None])
    labels = engine_labels(view.reply.engine for view in views if view.reply is not None)
    return [
        Exchange(
            round=view.round,
            message=view.user_turn,
            reply=view.reply,
            streamed=streamed[view.reply.pk] if view.reply is not None else Streamed(),
            imported=imported[view.round.pk],
            engine=labels[view.reply.engine] if view.reply is not None else "",
            is_checked=conversation.checks_facts,
            versions=several(view.versions),
        )
        for view in views
    ]


def exchange_of(reply: Reply) -> Exchange:
    """Return the round of one reply. Raises `Http404` where the reply was withdrawn meanwhile."""
    streamed = streamed_of([] if reply.is_terminal else [reply])[reply.pk]
    if streamed.has_ended:
        # It ended after its state was read and before its events were.
        ended = (
            selectors.with_grounds(Reply.objects.filter(pk=reply.pk)).select_related("conversation", "round").first()
        )
        if ended is None:
            raise Http404
        return exchange_of(ended)
    return Exchange(
        round=reply.round,
        message=Turn.everything.filter(round=reply.round_id, role=Role.USER).defer("search").first(),
        reply=reply,
        streamed=streamed,
        engine=engine_labels([reply.engine])[reply.engine],
        is_checked=reply.conversation.checks_facts,
        versions=several(selectors.versions_of([reply.round])[reply.round_id]),
    )


def several(versions: Versions) -> Versions | None:
    return versions if len(versions.ids) > 1 else None


def imported_turns(rounds: Sequence[Round]) -> dict[int, list[Turn]]:
    """Return the turns of the other side in rounds without a reply of ours."""
    found: dict[int, list[Turn]] = defaultdict(list)
    if rounds:
        for turn in Turn.objects.filter(round__in=rounds, role=Role.ASSISTANT).defer("search"):
            found[turn.round_id].append(turn)
    return found


def streamed_of(replies: Sequence[Reply]) -> dict[int, Streamed]:
    """Return the progress of each reply from its stored events."""
    events: dict[int, list[ReplyEvent]] = defaultdict(list)
    if replies:
        stored = ReplyEvent.objects.filter(reply__in=replies).order_by("reply_id", "number")
        for event in selectors.with_lines(stored):
            events[event.reply_id].append(event)
    return defaultdict(Streamed, {reply_id: fold(of_reply) for reply_id, of_reply in events.items()})


def fold(events: Iterable[ReplyEvent]) -> Streamed:
    """Return the state of a page that has seen all these events."""
    text, stage, last_number, has_ended = "", "", 0, False
    for event in events:
        last_number = event.number
        if event.kind == "delta":
            text += event.data["text"]
        elif event.kind == "step":
            stage = event.data.get("line", stage)
        elif event.kind == "reset":
            text = stage = ""
        elif event.kind == "state":
            has_ended = event.data["state"] in TERMINAL_STATES
    return Streamed(text=text, stage=stage, last_number=last_number, has_ended=has_ended)
