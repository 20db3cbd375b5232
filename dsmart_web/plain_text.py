"""Refuses requests and WebSocket handshakes with characters that no text has (NUL, lone surrogates)."""

from collections.abc import Iterable
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie
from django.utils.deprecation import MiddlewareMixin

from dsmart_web.refusals import PROGRAMS, refusal
from memory.core.plain_text import NOT_PLAIN, is_plain

NOT_TEXT = 4400


class PlainTextMiddleware(MiddlewareMixin):
    """Checks the path, the query, the headers and the form of a request; API parsers check its body."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        headers = [*request.headers.values(), *request.COOKIES.items()]
        return checked(request, [request.path, *request.GET.lists(), *headers])

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        if request.path.startswith(PROGRAMS):
            return None
        names = [(field, file.name) for field, files in request.FILES.lists() for file in files]
        return checked(request, [*request.POST.lists(), *names])


def checked(request: HttpRequest, given: Iterable[object]) -> HttpResponse | None:
    return None if is_plain(list(given)) else refusal(request.path, status=400, reason=NOT_PLAIN)


class PlainTextHandshake:
    """Refuses a handshake whose cookies are no text, because they are looked up before any consumer runs."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        headers = [value.decode("latin1") for _, value in scope["headers"]]
        cookies = [parse_cookie(value.decode("latin1")) for name, value in scope["headers"] if name == b"cookie"]
        app = self.app if is_plain([scope["path"], *headers, *cookies]) else RefusedSocket.as_asgi()
        await app(scope, receive, send)


class RefusedSocket(AsyncWebsocketConsumer):
    async def connect(self) -> None:
        await self.close(code=NOT_TEXT)
