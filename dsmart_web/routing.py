"""The WebSocket addresses of all apps."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import re_path

from conversations.routing import websocket_urlpatterns as conversation_sockets


class NoSuchSocket(AsyncWebsocketConsumer):
    """Refuses an unknown address; without it the router would raise, and the log would fill with what strangers try."""

    async def connect(self) -> None:
        await self.close(code=4404)


websocket_urlpatterns = [*conversation_sockets, re_path(r"", NoSuchSocket.as_asgi())]
