"""A browser's end of a socket, in tests. (The one that comes with channels imports a second web server.)"""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator
from channels.auth import UserLazyObject
from channels.routing import URLRouter
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore

from conversations.routing import websocket_urlpatterns


class BrowserSocket(ApplicationCommunicator):
    """Talks to the product's sockets as a signed-in person."""

    def __init__(self, user: Any, path: str) -> None:
        self.session = SessionStore()
        person = UserLazyObject()  # what the product's own middleware puts there
        person._wrapped = user
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": b"",
            "headers": [],
            "subprotocols": [],
            "user": person,
            "session": self.session,
        }
        self.scope = scope
        super().__init__(URLRouter(websocket_urlpatterns), scope)

    async def sign_in(self) -> None:
        user = self.scope["user"]
        if user.is_authenticated:
            await self.session.aupdate(
                {
                    SESSION_KEY: str(user.pk),
                    BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
                    HASH_SESSION_KEY: user.get_session_auth_hash(),
                }
            )
        await self.session.asave()

    async def connect(self) -> int | None:
        """Shake hands; return the code of a refusal, None where the socket is open."""
        if self.session.session_key is None:
            await self.sign_in()
        await self.send_input({"type": "websocket.connect"})
        answer = await self.receive_output(timeout=5)
        return None if answer["type"] == "websocket.accept" else answer["code"]

    async def send(self, message: object) -> None:
        await self.send_text(json.dumps(message))

    async def send_text(self, text: str) -> None:
        await self.send_input({"type": "websocket.receive", "text": text})

    async def receive(self) -> dict[str, Any]:
        """Return the next message; an assertion fails where the socket is closed instead."""
        output = await self.receive_output(timeout=5)
        assert output["type"] == "websocket.send", output
        message: dict[str, Any] = json.loads(output["text"])
        return message

    async def until(self, kind: str) -> list[dict[str, Any]]:
        """Return what comes up to and with the first message of a type."""
        seen = [await self.receive()]
        while seen[-1]["type"] != kind:
            seen.append(await self.receive())
        return seen

    async def closed(self) -> int:
        """Return the code with which the server closes the socket, whatever it says before."""
        while (output := await self.receive_output(timeout=5))["type"] != "websocket.close":
            continue
        code: int = output["code"]
        return code

    async def leave(self) -> None:
        if not self.future.done():
            await self.send_input({"type": "websocket.disconnect", "code": 1000})
            await self.wait(timeout=5)
