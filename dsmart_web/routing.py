"""The WebSockets of all apps: which handshakes are taken, and where they go."""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import WebsocketDenier
from django.http.cookie import parse_cookie
from django.urls import re_path

from conversations.core.errors import DoorClosed
from conversations.doors.callers import own_page_check
from conversations.routing import websocket_urlpatterns
from dsmart_web.outages import AwaySockets
from memory.core.plain_text import is_plain

denied = WebsocketDenier.as_asgi()


class Handshakes:
    """Refuses a handshake from a page of another origin, and one with cookies that are no text.

    Cookies are looked up before any consumer runs. A handshake without an origin is no page's.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        await (self.app if is_taken(scope) else denied)(scope, receive, send)


def is_taken(scope: dict[str, Any]) -> bool:
    headers = [(name, value.decode("latin1")) for name, value in scope["headers"]]
    cookies = [parse_cookie(value) for name, value in headers if name == b"cookie"]
    try:
        own_page_check(scope)
    except DoorClosed:
        return False
    return b"origin" in dict(headers) and is_plain([scope["path"], *(value for _, value in headers), *cookies])


# An unknown address is refused; without the last line the router would raise, and the log fill with what strangers try.
sockets = Handshakes(AwaySockets(AuthMiddlewareStack(URLRouter([*websocket_urlpatterns, re_path(r"", denied)]))))
