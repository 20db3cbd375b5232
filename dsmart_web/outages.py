"""What is answered while the database is away: 503 to requests, a close code to sockets. Both are told to come again."""

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse

from conversations.access import AWAY
from dsmart_web.refusals import refusal
from dsmart_web.refusals import server_error as plain_server_error
from memory.adapters.outages import is_away, outage_note

RETRY_S = 5
SAID = "The memory is away: its database cannot be reached. What you said before is kept. Try again in a few seconds."


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a request that failed (`handler500`), whatever part of the product the error was raised in."""
    return away(request.path) if is_away(sys.exc_info()[1]) else plain_server_error(request)


def away(path: str) -> HttpResponse:
    """Return the answer while the database is away: a page that needs none, or JSON for programs."""
    response = refusal(path, status=503, reason=SAID)
    response["Retry-After"] = str(RETRY_S)
    response["Cache-Control"] = "no-store"
    return unlogged(response)


def unlogged(response: HttpResponse) -> HttpResponse:
    """Return an answer of which Django writes no line of its own: the outage is told once a minute."""
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


class AwaySockets:
    """Closes a socket whose handshake needed the database with a code that the page understands."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        is_begun = False

        async def noted(message: dict[str, Any]) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except Exception as error:
            if is_begun or not is_away(error):
                raise
            outage_note(error)
            # A close code reaches the page only over a socket that was accepted.
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": AWAY})
