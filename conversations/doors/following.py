"""Follows a reply from outside of the browser: its events in order, up to its end.

Whoever goes away before the end stops the reply, as programs expect that close the connection to stop. Where several requests
of this process follow one reply, the last one to go stops it.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

from channels.layers import get_channel_layer

from conversations import selectors, services
from conversations.core.errors import MessageRefused
from conversations.doors.callers import Caller
from conversations.events import Happening, conversation_group
from conversations.models import Reply
from conversations.models.reply import TERMINAL_STATES

# So often the database is asked for events of which no message came.
LOOK_S = 1.0
_followers: Counter[int] = Counter()


async def followed(caller: Caller, reply: Reply) -> AsyncGenerator[Happening | None, None]:
    """Yield the events of a reply up to its terminal state, and None where nothing came for a while.

    Raises `MessageRefused` where the message was taken back meanwhile.
    """
    layer, group = get_channel_layer(), conversation_group(reply.conversation_id)
    channel = await layer.new_channel()
    await layer.group_add(group, channel)
    _followers[reply.pk] += 1
    number, is_ended = 0, False
    try:
        while not is_ended:
            for event in await caller.does(partial(events_missed, reply, number)):
                number, is_ended = event.number, is_end(event.kind, event.data)
                yield Happening(event.kind, event.data)
            while not is_ended and (message := await next_message(layer, channel, reply.pk)) is not None:
                if message["number"] > number + 1:
                    break
                if message["number"] == number + 1:
                    number, is_ended = number + 1, is_end(message["kind"], message["data"])
                    yield Happening(message["kind"], message["data"])
            else:
                yield None
    finally:
        _followers[reply.pk] -= 1
        is_last = not _followers[reply.pk]
        if is_last:
            del _followers[reply.pk]
        await layer.group_discard(group, channel)
        if is_last and not is_ended:
            await asyncio.shield(caller.does(partial(services.reply_stop, reply=reply)))


async def next_message(layer: Any, channel: str, reply_id: int) -> dict[str, Any] | None:
    """Return the next message that tells an event of the reply; None where none comes within `LOOK_S`."""
    try:
        async with asyncio.timeout(LOOK_S):
            while True:
                message: dict[str, Any] = await layer.receive(channel)
                if message["type"] == "reply.event" and message["reply"] == reply_id:
                    return message
    except TimeoutError:
        return None


def events_missed(reply: Reply, number: int) -> list[Any]:
    found = selectors.events_after(reply, number)
    if not found and not Reply.objects.filter(pk=reply.pk).exists():
        raise MessageRefused("The message was taken back before it was answered. Send it again.")
    return found


def is_end(kind: str, data: dict[str, Any]) -> bool:
    return kind == "state" and data["state"] in TERMINAL_STATES
