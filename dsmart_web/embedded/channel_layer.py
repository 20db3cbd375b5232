"""A channel layer inside one process whose senders may be threads.

Stock `InMemoryChannelLayer` keeps `asyncio.Queue`s: a Celery thread that puts into one wakes nobody, because the receiver
waits on another event loop. Here a message goes into a plain mailbox under a lock, and the receiver is woken on the loop
that it waits on. The order of a channel is the order in which its sends happened, whatever the threads and loops.
"""

import asyncio
import secrets
import threading
import time
from collections import defaultdict, deque
from copy import deepcopy
from typing import Any

from channels.exceptions import ChannelFull
from channels.layers import BaseChannelLayer

Message = dict[str, Any]


class _Mailbox:
    """The messages of one channel that wait to be received, and its waiting receivers. Guarded by the layer's lock."""

    def __init__(self) -> None:
        self.messages: deque[tuple[float, Message]] = deque()
        self.waiting: deque[asyncio.Future[None]] = deque()

    def drop_expired(self, now: float) -> None:
        while self.messages and self.messages[0][0] < now:
            self.messages.popleft()

    def wake_one(self) -> None:
        while self.waiting:
            future = self.waiting.popleft()
            try:
                future.get_loop().call_soon_threadsafe(_resolve, future)
            except RuntimeError:
                continue  # that loop was closed while it waited: its receiver is gone
            return


class LoopSafeChannelLayer(BaseChannelLayer):
    """Channels' layer API (groups, flush) over mailboxes that any thread and any event loop may use.

    A full channel (`capacity` messages that nobody has received) refuses `send` with `ChannelFull`, and is passed over by
    `group_send`, as the specification of channel layers has it.
    """

    extensions = ["groups", "flush"]

    def __init__(
        self, *, expiry: float = 60, group_expiry: float = 86_400, capacity: int = 100, channel_capacity: Any = None
    ) -> None:
        super().__init__(expiry=expiry, capacity=capacity, channel_capacity=channel_capacity)
        self.group_expiry = group_expiry
        self._lock = threading.Lock()
        self._mailboxes: dict[str, _Mailbox] = defaultdict(_Mailbox)
        self._groups: dict[str, dict[str, float]] = {}

    async def send(self, channel: str, message: Message) -> None:
        """Put `message` on `channel`. Raises `ChannelFull` when the channel has `capacity` messages already."""
        self.require_valid_channel_name(channel)
        with self._lock:
            self._put(channel, message)

    async def receive(self, channel: str) -> Message:
        """Return the oldest message of `channel`, waiting for one if needed."""
        self.require_valid_channel_name(channel)
        while True:
            with self._lock:
                mailbox = self._mailboxes[channel]
                mailbox.drop_expired(time.monotonic())
                if mailbox.messages:
                    message = mailbox.messages.popleft()[1]
                    self._forget_if_unused(channel)
                    return message
                awaited = asyncio.get_running_loop().create_future()
                mailbox.waiting.append(awaited)
            try:
                await awaited
            except asyncio.CancelledError:
                self._stop_waiting(channel, awaited)
                raise

    async def new_channel(self, prefix: str = "specific.") -> str:
        """Return a unique channel name, and remove the channels of receivers that are gone."""
        with self._lock:
            now = time.monotonic()
            for channel in list(self._mailboxes):
                self._mailboxes[channel].drop_expired(now)
                self._forget_if_unused(channel)
        return f"{prefix}.inmemory!{secrets.token_hex(12)}"

    async def group_add(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        self.require_valid_channel_name(channel)
        with self._lock:
            self._groups.setdefault(group, {})[channel] = time.monotonic()

    async def group_discard(self, group: str, channel: str) -> None:
        self.require_valid_group_name(group)
        self.require_valid_channel_name(channel)
        with self._lock:
            members = self._groups.get(group, {})
            members.pop(channel, None)
            if not members:
                self._groups.pop(group, None)

    async def group_send(self, group: str, message: Message) -> None:
        """Put `message` on every channel of `group` under one lock: all members get messages in one order."""
        self.require_valid_group_name(group)
        with self._lock:
            members = self._groups.get(group, {})
            oldest = time.monotonic() - self.group_expiry
            for channel, joined in list(members.items()):
                if joined < oldest:
                    del members[channel]
                    continue
                try:
                    self._put(channel, message)
                except ChannelFull:
                    continue

    async def flush(self) -> None:
        with self._lock:
            self._mailboxes.clear()
            self._groups.clear()

    async def close(self) -> None:
        """Do nothing: the layer holds no connection open."""

    def _put(self, channel: str, message: Message) -> None:
        mailbox = self._mailboxes[channel]
        now = time.monotonic()
        mailbox.drop_expired(now)
        if len(mailbox.messages) >= self.get_capacity(channel):
            raise ChannelFull(channel)
        mailbox.messages.append((now + self.expiry, deepcopy(message)))
        mailbox.wake_one()

    def _stop_waiting(self, channel: str, awaited: asyncio.Future[None]) -> None:
        with self._lock:
            mailbox = self._mailboxes[channel]
            try:
                mailbox.waiting.remove(awaited)
            except ValueError:
                # It had been woken already: the message that woke it belongs to the next in line.
                if mailbox.messages:
                    mailbox.wake_one()
            self._forget_if_unused(channel)

    def _forget_if_unused(self, channel: str) -> None:
        mailbox = self._mailboxes[channel]
        if not mailbox.messages and not mailbox.waiting:
            del self._mailboxes[channel]


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
