"""The WebSockets: one for a conversation, one for changes of a space.

A reply belongs to the server, not to a socket. A connected page gets a reply's events in order and without gaps: the consumer
keeps the last number that it has sent of each reply, and reads what it missed from the database.
"""

import json
import time
from typing import Any

from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.db import Error
from django.db.models import Max

from conversations import selectors, services
from conversations.access import AWAY, NOT_FOUND, Access, watch
from conversations.allowance import TOO_FAST, message_allowed
from conversations.core.errors import MessageRefused
from conversations.events import conversation_group
from conversations.models import Conversation, Reply, ReplyEvent
from memory.adapters.outages import is_away, outage_note
from memory.adapters.row_security.scope import NOTHING, enter, of_person
from memory.core.plain_text import NOT_PLAIN, is_plain
from memory.events import space_group
from memory.selectors.access import Claim

TOO_MANY = 4429
FRAMES = 240
FRAMES_PER_S = 10
# A character takes at most 6 bytes in JSON; the rest of a frame is small.
FRAME_LIMIT = 6 * settings.DSMART_MESSAGE_LIMIT + 4096
# How many replies a page is told of that it missed; it shows no more at once.
NEWS = 30
LARGEST_NUMBER = 2**31 - 1


class OwnedConsumer(AsyncJsonWebsocketConsumer):
    """A socket that only its owner may open, with limits on the size and the number of frames."""

    access: Access | None = None
    frames = 0
    frames_since = 0.0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.access is not None:
                watch().leave(self.access)

    async def enter(self, space_id: int) -> None:
        """Open the socket for as long as its browser session is valid and its user may see the space."""
        claim = Claim(self.scope["session"].session_key, self.scope["user"].pk, space_id)
        self.access = Access(claim, close=self.close)
        if await watch().enter(self.access):
            await self.accept()

    async def is_served(self) -> bool:
        return self.access is None or await self.access.is_open()

    async def is_still_allowed(self) -> bool:
        """Check access in the database now, before a change."""
        if self.access is not None:
            await watch().look([self.access])
        return await self.is_served()

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the handler of an event, unless the session has ended.

        Channels' own dispatch first closes old database connections, in the one thread that all database work shares, which
        would delay every word of a stream. `database_sync_to_async` closes them around the work itself.
        """
        try:
            if message["type"] == "websocket.disconnect" or await self.is_served():
                enter(of_person(self.scope["user"].pk) if self.scope["user"].is_authenticated else NOTHING)
                await getattr(self, get_handler_name(message))(message)
        except Error as error:
            if not is_away(error):
                raise
            outage_note(error)
            if message["type"] == "websocket.connect":
                await self.accept()  # a close code reaches the page only over a socket that was accepted
            await self.close(AWAY)

    async def send_json(self, content: dict[str, Any], close: bool = False) -> None:
        """Send a message, unless the session has ended."""
        if await self.is_served():
            await super().send_json(content, close)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        if self.is_flooded():
            await self.close(TOO_MANY)
            return
        if text_data is None or len(text_data) > FRAME_LIMIT:
            await self.refuse(
                "", f"That is too much for one message; {settings.DSMART_MESSAGE_LIMIT:,} characters fit."
            )
            return
        try:
            content = json.loads(text_data)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            await self.refuse("", "That could not be read. Reload the page and try again.")
            return
        if not is_plain(content):
            key = content.get("key")
            await self.refuse(key if isinstance(key, str) and is_plain(key) else "", NOT_PLAIN)
            return
        if content.get("type") == "ping":
            await self.send_json({"type": "pong"})
            return
        await self.receive_json(content)

    def is_flooded(self) -> bool:
        now = time.monotonic()
        if now - self.frames_since > FRAMES_PER_S:
            self.frames, self.frames_since = 0, now
        self.frames += 1
        return self.frames > FRAMES

    async def refuse(self, key: str, message: str) -> None:
        await self.send_json({"type": "refused", "key": key, "message": message})

    async def memory_changed(self, event: dict[str, Any]) -> None:
        await self.send_json({"type": "memory"})


class SpaceConsumer(OwnedConsumer):
    """Tells the margin when the space's memory changes."""

    space_id: int

    async def connect(self) -> None:
        self.space_id = self.scope["url_route"]["kwargs"]["space_id"]
        await self.channel_layer.group_add(space_group(self.space_id), self.channel_name)
        await self.enter(self.space_id)

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(space_group(self.space_id), self.channel_name)

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        await self.refuse("", "Nothing can be sent here.")


class ConversationConsumer(OwnedConsumer):
    """Takes messages, streams replies, and tells when the memory of the space changes."""

    conversation_id: int
    space_id: int | None = None

    async def connect(self) -> None:
        self.user = self.scope["user"]
        self.conversation_id = self.scope["url_route"]["kwargs"]["conversation_id"]
        self.sent: dict[int, int] = {}
        try:
            self.space_id = (await self.conversation()).space_id
        except Conversation.DoesNotExist:
            await self.close(NOT_FOUND)
            return
        # Before accepting: what happens from the handshake on must reach this socket.
        await self.channel_layer.group_add(conversation_group(self.conversation_id), self.channel_name)
        await self.channel_layer.group_add(space_group(self.space_id), self.channel_name)
        await self.enter(self.space_id)

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(conversation_group(self.conversation_id), self.channel_name)
        if self.space_id is not None:
            await self.channel_layer.group_discard(space_group(self.space_id), self.channel_name)

    async def conversation(self) -> Conversation:
        """Return the conversation if its owner may still see it."""
        if not self.user.is_authenticated:
            raise Conversation.DoesNotExist
        return await database_sync_to_async(selectors.conversation_of)(self.user, self.conversation_id)

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        match content:
            case {"type": "message", "text": str(text), "key": str(key)} if 0 < len(key) <= 200:
                await self.post(text, key)
            case {"type": "resume", "reply": int(reply_id), "after": int(after)} if is_number(reply_id) and is_number(
                after
            ):
                await self.resume(reply_id, after)
            case {"type": "news", "after": int(after)} if is_number(after):
                await self.tell_news(after)
            case {"type": "stop", "reply": int(reply_id)} if is_number(reply_id):
                await self.stop(reply_id)
            case _:
                await self.refuse("", "That is not something this page can do. Reload it and try again.")

    async def post(self, text: str, key: str) -> None:
        if not message_allowed(self.user.pk):
            await self.refuse(key, TOO_FAST)
            return
        try:
            if not await self.is_still_allowed():
                return
            conversation = await self.conversation()
            reply = await database_sync_to_async(services.message_post)(conversation=conversation, text=text, key=key)
        except MessageRefused as refusal:
            await self.refuse(key, str(refusal))
        except Conversation.DoesNotExist:
            await self.close(NOT_FOUND)
        else:
            await self.send_json({"type": "posted", "key": key, "reply": reply.pk})

    async def resume(self, reply_id: int, after: int) -> None:
        """Send the events after the browser's last number and the end of the reply, whatever this socket sent before."""
        if not await self.catch_up(reply_id, after):
            await self.send_json({"type": "withdrawn", "reply": reply_id})

    async def tell_news(self, after: int) -> None:
        """Name the newest replies that the page does not show, which came before this socket was open."""
        found = await database_sync_to_async(self.newest)(after)
        await self.send_json({"type": "news", "replies": found})

    def newest(self, after: int) -> list[int]:
        replies = selectors.replies_of(self.user).filter(
            conversation=self.conversation_id, is_current=True, round__aside_with=None
        )
        newest = replies.filter(pk__gt=after).order_by("-pk").values_list("pk", flat=True)[:NEWS]
        return sorted(newest)

    async def stop(self, reply_id: int) -> None:
        try:
            reply = await self.reply(reply_id)
        except Reply.DoesNotExist:
            await self.refuse("", "That reply is no longer here.")
            return
        await database_sync_to_async(services.reply_stop)(reply=reply)

    async def reply(self, reply_id: int) -> Reply:
        return await database_sync_to_async(self.own_reply)(reply_id)

    def own_reply(self, reply_id: int) -> Reply:
        return selectors.replies_of(self.user).get(pk=reply_id, conversation_id=self.conversation_id)

    async def reply_event(self, event: dict[str, Any]) -> None:
        reply_id, number = event["reply"], event["number"]
        last = self.sent.get(reply_id, 0)
        if number <= last:
            return
        if number > last + 1:
            await self.catch_up(reply_id, last)
            return
        await self.show(reply_id, number, event["kind"], event["data"])

    async def catch_up(self, reply_id: int, after: int) -> bool:
        """Send the events after a number; return False where the reply does not exist (any more)."""
        try:
            after, missed = await database_sync_to_async(self.missed)(reply_id, after)
        except Reply.DoesNotExist:
            return False
        self.sent[reply_id] = after
        for event in missed:
            await self.show(reply_id, event.number, event.kind, event.data)
        return True

    def missed(self, reply_id: int, after: int) -> tuple[int, list[ReplyEvent]]:
        """Return the number to go on from and the events after it. A number above the last event's is corrected."""
        reply = self.own_reply(reply_id)
        last = ReplyEvent.objects.filter(reply=reply).aggregate(last=Max("number"))["last"] or 0
        after = min(after, last)
        return after, list(selectors.events_after(reply, after))

    async def show(self, reply_id: int, number: int, kind: str, data: dict[str, Any]) -> None:
        self.sent[reply_id] = number
        await self.send_json({"type": "event", "reply": reply_id, "number": number, "kind": kind, "data": data})

    async def reply_checked(self, event: dict[str, Any]) -> None:
        await self.send_json({"type": "checked", "reply": event["reply"]})

    async def sources_found(self, event: dict[str, Any]) -> None:
        await self.send_json({"type": "sources", "replies": event["replies"]})

    async def dialogue_changed(self, event: dict[str, Any]) -> None:
        await self.send_json({"type": "dialogue"})

    async def conversation_changed(self, event: dict[str, Any]) -> None:
        await self.send_json({"type": "conversation"})


def is_number(value: int) -> bool:
    """Return whether a value is an event number; True and False are not, although they are integers in Python."""
    return not isinstance(value, bool) and 0 <= value <= LARGEST_NUMBER
