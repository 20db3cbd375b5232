"""The WebSocket addresses of all apps."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import re_path


class NoSuchSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """Refuses an unknown address; without it the router would raise, and the log would fill with what strangers try."""

    async def connect(self) -> None:
        await self.close(code=4404)


conversation_sockets = (
    import_module("conversations.routing").websocket_urlpatterns if find_spec("conversations.routing") else []
)
websocket_urlpatterns = [*conversation_sockets, re_path(r"", NoSuchSocket.as_asgi())]
