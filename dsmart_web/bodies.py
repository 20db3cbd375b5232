"""Limits the size and the duration of request bodies before Django stores them."""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.core.handlers.asgi import ASGIRequest
from django.db import Error
from django.http import HttpResponse
from django.urls import Resolver404, resolve
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from conversations.doors.callers import bearer_grant
from dsmart_web.outages import away
from dsmart_web.refusals import MCP, OPENAI, is_under, refusal
from memory.adapters.outages import is_away, outage_note
from memory.api.authentication import DigestTokenAuthentication
from memory.core.plain_text import is_plain

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

ANONYMOUS_BYTES = 64 * 1024
MULTIPART_EXTRA_BYTES = 64 * 1024
# A chat is sent whole with each message; a call of a tool is short.
DOOR_BYTES = {OPENAI: 4 * 1024 * 1024, MCP: 512 * 1024}
GRAPH_UPLOADS = {"api-graph", "space-graph-import"}
CHAT_UPLOADS = {"api-chats-import", "conversation-import"}
# A body may take this long, and the time that its bytes take on a slow line.
PATIENCE_S = 30
SLOWEST_BYTES_S = 8 * 1024
# How long the rest of a refused body is read and thrown away: a peer that is cut off while it writes never reads the answer.
LINGER_S = 2.0
TOO_SLOW = "The request came too slowly. Try again on a better connection."


class BoundedBodies:
    """Passes a request on while its body is within the limit: 64 KB, or for signed-in users the limit of the URL."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = Body(scope, receive)
        if await body.is_within(body.declared):
            await self.app(scope, body.receive, send)
        if body.refused is not None:
            await body.answer(send)


class Body:
    """The body of one request, as it arrives."""

    def __init__(self, scope: Message, receive: Receive) -> None:
        self.scope = scope
        self.refused: HttpResponse | None = None
        self._receive = receive
        self._limit = ANONYMOUS_BYTES
        self._is_known = False
        self._is_whole = False
        self._received = 0
        self._began = time.monotonic()

    @property
    def declared(self) -> int:
        length = dict(self.scope["headers"]).get(b"content-length", b"0")
        return int(length) if length.isdigit() else 0

    async def receive(self) -> Message:
        """Return the next message; once the body is refused, a disconnect."""
        if self._is_whole:
            return await self._receive()
        patience = PATIENCE_S + self._received / SLOWEST_BYTES_S - (time.monotonic() - self._began)
        try:
            message = await asyncio.wait_for(self._receive(), max(patience, 0))
        except TimeoutError:
            self.refused = refusal(self.scope["path"], status=408, reason=TOO_SLOW)
            return {"type": "http.disconnect"}
        self._received += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return message if await self.is_within(self._received) else {"type": "http.disconnect"}

    async def is_within(self, size: int) -> bool:
        """Return whether a body of this size is accepted, and record the refusal if not."""
        if size > self._limit and not self._is_known:
            self._is_known = True
            try:
                self._limit = await database_sync_to_async(limit_of)(self.scope)
            except Error as error:
                if not is_away(error):
                    raise
                outage_note(error)
                self.refused = away(self.scope["path"])
                return False
        if size > self._limit:
            reason = f"This is too large. At most {shown(self._limit)} can be sent here."
            if self._limit == ANONYMOUS_BYTES:
                reason = f"{reason} Sign in to send more."
            self.refused = refusal(self.scope["path"], status=413, reason=reason)
        return size <= self._limit

    async def answer(self, send: Send) -> None:
        """Send the refusal, and close the connection after the client had time to read it."""
        assert self.refused is not None  # noqa: S101 (for the type)
        headers = [(name.lower().encode(), value.encode()) for name, value in self.refused.items()]
        headers += [
            (b"content-length", str(len(self.refused.content)).encode()),
            (b"content-security-policy", b"default-src 'none'; style-src 'self'"),
            (b"connection", b"close"),
        ]
        await send({"type": "http.response.start", "status": self.refused.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": self.refused.content, "more_body": True})
        if b"expect" not in dict(self.scope["headers"]):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._throw_away(), LINGER_S)
        await send({"type": "http.response.body"})

    async def _throw_away(self) -> None:
        while not self._is_whole:
            message = await self._receive()
            self._is_whole = message["type"] == "http.disconnect" or not message.get("more_body", False)


def limit_of(scope: Message) -> int:
    """Return the size limit of a request by its sender and its URL."""
    if not is_signed_in(scope):
        return ANONYMOUS_BYTES
    for door, size in DOOR_BYTES.items():
        if is_under(scope["path"], door):
            return size
    try:
        name = resolve(scope["path"]).url_name
    except Resolver404:
        name = ""
    if name in GRAPH_UPLOADS:
        return int(settings.DSMART_IMPORT_MB * 1024 * 1024) + MULTIPART_EXTRA_BYTES
    if name in CHAT_UPLOADS:
        return int(settings.DSMART_CHATS_MB * 1024 * 1024) + MULTIPART_EXTRA_BYTES
    return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def is_signed_in(scope: Message) -> bool:
    """Return whether a request has the session or the token of an account."""
    request = ASGIRequest(scope, io.BytesIO())
    if not is_plain([*request.COOKIES.values(), *request.headers.values()]):
        return False
    request.session = SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    if get_user(request).is_authenticated or bearer_grant(request.headers.get("Authorization", "")) is not None:
        return True
    try:
        return DigestTokenAuthentication().authenticate(Request(request)) is not None
    except AuthenticationFailed:
        return False


def shown(size: int) -> str:
    return f"{size // 1024**2} MB" if size >= 1024**2 else f"{size // 1024} KB"
