"""Closes every socket when the browser session that opened it loses access.

The database is not queried while words stream. An event that may end a user's access puts all sockets of the user on hold:
sockets of this process before the call that raised it returns, those of other processes when the channel layer delivers it. A
socket on hold neither receives nor sends until a query of the database releases or closes it. All sockets are also checked
every `LOOK_S` seconds, for events that were missed. While the database cannot be reached, sockets stay on hold, and after
`AWAY_S` seconds they are closed with the code `AWAY`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import Error, transaction
from django.dispatch import receiver

from memory.adapters.outages import is_away
from memory.adapters.row_security.scope import everything
from memory.events import ACCESS_GROUP, access_withdrawn
from memory.selectors.access import Claim, claims_that_hold

logger = logging.getLogger(__name__)

NOT_FOUND = 4404
# The database is away: the page says so and comes again.
AWAY = 4503
LOOK_S = 2.0
# After so long without an answer of the database, sockets are closed rather than kept waiting.
AWAY_S = 3.0
# A thread of its own: a look must not wait behind the work of all sockets, which shares one.
_looking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="access")
_lock = threading.Lock()
_watches: dict[asyncio.AbstractEventLoop, AccessWatch] = {}
look_at = database_sync_to_async(
    everything()(transaction.atomic(claims_that_hold)), thread_sensitive=False, executor=_looking
)


class Access:
    """The access of one socket: open, on hold, or ended."""

    def __init__(self, claim: Claim, *, close: Callable[[int], Awaitable[None]]) -> None:
        self.claim = claim
        self.has_ended = False
        self.holds = 0
        self._close = close
        self._closing: asyncio.Task[None] | None = None
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        """Put the socket on hold until a check that starts after this call. Thread-safe."""
        with _lock:
            self.holds += 1
            self._open.clear()

    def release(self, *, holds: int) -> None:
        """Open the socket again, unless it was put on hold anew since the count of `holds`."""
        with _lock:
            if self.holds == holds:
                self._open.set()

    def end(self, code: int = NOT_FOUND) -> None:
        if not self.has_ended:
            self.has_ended = True
            self._open.set()
            # A peer that does not read would keep others waiting for the end of its own.
            self._closing = asyncio.ensure_future(self._close_once(code))

    async def _close_once(self, code: int) -> None:
        with contextlib.suppress(RuntimeError, OSError):  # the peer closed first
            await self._close(code)

    async def is_open(self) -> bool:
        """Wait until the socket is not on hold, and return whether it may be served."""
        while not self._open.is_set():
            await self._open.wait()
        return not self.has_ended


class AccessWatch:
    """The sockets of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._accesses: set[Access] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._unanswered_since: float | None = None

    async def enter(self, access: Access) -> bool:
        """Watch a socket from now on, and return whether its claim holds."""
        with _lock:
            self._accesses.add(access)
        if not self._tasks:
            self._begin(self._listen())
            self._begin(self._look_regularly())
        await self.look([access])
        return await access.is_open()

    def leave(self, access: Access) -> None:
        with _lock:
            self._accesses.discard(access)
            if self._accesses:
                return
            _watches.pop(self._loop, None)
        for task in self._tasks:
            task.cancel()

    def doubt(self, user_id: int) -> None:
        """Put the sockets of a user on hold and check them. Thread-safe."""
        with _lock:
            doubted = [access for access in self._accesses if access.claim.user_id == user_id]
        for access in doubted:
            access.hold()
        if doubted:
            self._loop.call_soon_threadsafe(lambda: self._begin(self.look(doubted)))

    async def look(self, accesses: Iterable[Access]) -> None:
        """Check sockets against the database: close those without access, and release the others."""
        holds = {access: access.holds for access in accesses}
        try:
            allowed = await look_at({access.claim for access in holds})
        except Error as error:
            logger.warning("The database cannot say who is signed in. Sockets wait for it.", exc_info=True)
            now = time.monotonic()
            self._unanswered_since = self._unanswered_since or now
            is_over = is_away(error) and now - self._unanswered_since >= AWAY_S
            for access in holds:
                if is_over:
                    access.end(AWAY)
                else:
                    access.hold()
            return
        self._unanswered_since = None
        for access, count in holds.items():
            if access.claim in allowed:
                access.release(holds=count)
            else:
                access.end()

    async def _look_regularly(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            with _lock:
                accesses = list(self._accesses)
            await self.look(accesses)

    async def _listen(self) -> None:
        while True:
            try:
                layer = get_channel_layer()
                channel = await layer.new_channel()
                await layer.group_add(ACCESS_GROUP, channel)
                while True:
                    self.doubt((await layer.receive(channel))["user"])
            except Exception:
                logger.warning("Other processes cannot tell of ended sessions. They are looked for.", exc_info=True)
                await asyncio.sleep(LOOK_S)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def watch() -> AccessWatch:
    """Return the `AccessWatch` of the running event loop."""
    loop = asyncio.get_running_loop()
    with _lock:
        return _watches.setdefault(loop, AccessWatch(loop))


@receiver(access_withdrawn, dispatch_uid="hold the sockets of a person")
def doubt_here(user_id: int, **signal: object) -> None:
    with _lock:
        watches = list(_watches.values())
    for each in watches:
        each.doubt(user_id)
