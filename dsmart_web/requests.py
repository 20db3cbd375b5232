"""Every request has an id, a line in the access log and a place in the figures."""

import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.urls import Resolver404, resolve

from dsmart_web.addresses import is_trusted
from memory.adapters.meters import meters

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]

HEADER = "X-Request-ID"
SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")
access = logging.getLogger("dsmart_web.access")
_asked: ContextVar[str] = ContextVar("request id", default="")


def request_id() -> str:
    """Return the id of the request that this context works for, empty where it works for none."""
    return _asked.get()


def request_enter(number: str) -> None:
    """Let what happens from now on in this context belong to a request, or to none."""
    _asked.set(number)


class Requests:
    """Names each request and socket, and tells of it when it has ended. It stands outside of everything else.

    The id is that of a trusted proxy where it sends a sane one; the answer carries it.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            return await self.app(scope, receive, send)
        is_socket, began, status = scope["type"] == "websocket", time.perf_counter(), 0
        number = id_of(scope)

        async def told(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] in {"http.response.start", "websocket.accept"}:
                message = {
                    **message,
                    "headers": [*message.get("headers", ()), (HEADER.lower().encode(), number.encode())],
                }
                status = message.get("status", 101)
                if is_socket:
                    meters().socket_opened()
            await send(message)

        request_enter(number)
        try:
            await self.app(scope, receive, told)
        finally:
            if is_socket and status:
                meters().socket_closed()
            self.tell(scope, status or (403 if is_socket else 500), time.perf_counter() - began)

    def tell(self, scope: Scope, status: int, seconds: float) -> None:
        is_socket = scope["type"] == "websocket"
        method = "SOCKET" if is_socket else method_of(scope)
        route = "socket" if is_socket else route_of(scope["path"])
        if not is_socket:
            meters().observe("http", seconds, route=route, method=method, status=str(status))
        if not access.isEnabledFor(logging.INFO):
            return
        client = (scope.get("client") or ("local",))[0]
        milliseconds = round(seconds * 1000, 1)
        access.info(
            "%s %s %s %s in %s ms", client, method, scope["path"], status, milliseconds,
            extra={
                "method": method, "path": scope["path"], "route": route, "status": status,
                "milliseconds": milliseconds, "client": client,
            },
        )  # fmt: skip


def id_of(scope: Scope) -> str:
    given = dict(scope["headers"]).get(HEADER.lower().encode(), b"").decode("latin1")
    return given if is_trusted(scope) and SANE.fullmatch(given) else uuid.uuid4().hex


def method_of(scope: Scope) -> str:
    """Return the method of a request; what is no method of ours is one word, so that figures stay few."""
    return scope["method"] if scope["method"] in METHODS else "OTHER"


def route_of(path: str) -> str:
    """Return the name of an address, without what was filled in: a label that names nobody."""
    if path.startswith(f"/{settings.STATIC_URL.strip('/')}/"):
        return "static"
    try:
        return resolve(path).view_name or "unnamed"
    except (Resolver404, ValueError):
        return "unmatched"


METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
