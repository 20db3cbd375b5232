"""The door by HTTP, at /mcp: a key, a space, and limits; each call is a request of its own, without a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.db import Error
from django.http import JsonResponse

from conversations.allowance import MINUTE_S, within_allowance
from conversations.core.errors import DoorClosed, KeyUnknown, SpaceUnknown, TooManyCalls
from conversations.doors.callers import AWAY, Caller, caller_in, grant_of, in_thread, own_page_check
from memory.adapters.outages import is_away, outage_note

PATH = "/mcp"
AWAY_S = 5
CALLS_A_MINUTE = 600
CALLS_AT_ONCE = 8
STATUS = {KeyUnknown: 401, SpaceUnknown: 404, TooManyCalls: 429}
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_calls: Counter[int] = Counter()


class McpDoor:
    """Serves `PATH` and passes everything else on."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["path"].rstrip("/") != PATH:
            await self.app(scope, receive, send)
        elif scope["method"] != "POST":
            # No stream is kept open for a client that says nothing.
            await answer(send, 405, "Send a POST: this server keeps no session.", {"Allow": "POST"})
        else:
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        try:
            own_page_check(scope)
            grant = await grant_of(headers.get("authorization", ""))
            caller = await caller_in(grant, headers.get("x-dsmart-space", ""), scope="read")
            await admitted(caller)
        except DoorClosed as refusal:
            await refuse(send, refusal)
            return
        except Error as error:
            if not is_away(error):
                raise
            outage_note(error)
            await answer(send, 503, AWAY, {"Retry-After": str(AWAY_S)})
            return
        try:
            await served(caller, scope, receive, send)
        finally:
            _calls[caller.user.pk] -= 1
            if not _calls[caller.user.pk]:
                del _calls[caller.user.pk]


async def admitted(caller: Caller) -> None:
    """Count a call as begun. Raises `TooManyCalls`."""
    pk = caller.user.pk
    if not await in_thread(lambda: is_within_allowance(pk)):
        raise TooManyCalls(f"That was more than {CALLS_A_MINUTE} calls in a minute. Wait a moment and go on.")
    if _calls[pk] >= CALLS_AT_ONCE:
        raise TooManyCalls(f"{CALLS_AT_ONCE} calls are being answered. Wait until one of them is done.")
    _calls[pk] += 1


def is_within_allowance(user_id: int) -> bool:
    """Return whether one more call is. The first one loads the protocol's package, which would hold up the event loop."""
    import conversations.doors.mcp.server  # noqa: F401

    return within_allowance("mcp", user_id, limit=CALLS_A_MINUTE)


async def served(caller: Caller, scope: Message, receive: Receive, send: Send) -> None:
    """Answer one request by the protocol, for a caller."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from conversations.doors.mcp.server import acting, memory_server
    from conversations.doors.mcp.tools import Tools

    acting.set(Tools(caller))
    manager = StreamableHTTPSessionManager(
        app=memory_server()._lowlevel_server,  # the package names it nowhere else
        json_response=True,
        stateless=True,
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)


async def refuse(send: Send, refusal: DoorClosed) -> None:
    headers = {"Retry-After": str(MINUTE_S)} if isinstance(refusal, TooManyCalls) else {}
    if isinstance(refusal, KeyUnknown):
        headers["WWW-Authenticate"] = "Bearer"
    await answer(send, STATUS.get(type(refusal), 403), str(refusal), headers)


async def answer(send: Send, status: int, reason: str, headers: dict[str, str]) -> None:
    """Send a refusal as the protocol's clients read it: JSON with a sentence."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": reason}}
    response = JsonResponse(error, status=status, headers={"Cache-Control": "no-store", **headers})
    lines = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    lines.append((b"content-length", str(len(response.content)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": response.content})
