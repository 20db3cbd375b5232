"""Waking whoever waits for something in the database, in whatever process, by PostgreSQL's LISTEN and NOTIFY.

A wake-up is sent in the transaction that it speaks of and arrives once that is committed. It says only that there is
something to look at. Whoever waits looks again once in a while too, so that a wake-up that is lost costs a moment: `LOOK_S`.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

CHANNEL = "dsmart"
LOOK_S = 1.0
# A listener that nobody has needed for so long ends, and another one begins with the next who waits.
IDLE_S = 10.0
RETRY_S = 1.0
HEARING_S = 0.25
Wake = Callable[[], object]


def wake(topic: str) -> None:
    """Wake who waits for a topic, in all processes, once the running transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_notify(%s, %s)", [CHANNEL, topic])


def wait_until(is_so: Callable[[], bool], *, topic: str, within_s: float) -> bool:
    """Wait until something is so, looked at after each wake-up of the topic; False where it is not within the time."""
    give_up = time.monotonic() + within_s
    woken = threading.Event()
    with listener().calling(topic, woken.set):
        while not is_so():
            left = give_up - time.monotonic()
            if left <= 0:
                return False
            woken.wait(min(left, LOOK_S))
            woken.clear()
    return True


class Listener:
    """A thread with a connection of its own that hears all wake-ups, while anybody waits for some."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[str, list[Wake]] = defaultdict(list)
        self._needed_at = 0.0
        self._is_stopping = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def calling(self, topic: str, call: Wake) -> Iterator[None]:
        """Make a call at each wake-up of a topic inside the block, from another thread."""
        with self._lock:
            self._calls[topic].append(call)
            if self._thread is None:
                self._is_stopping = False
                self._thread = threading.Thread(target=self._run, name="wakeups", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._calls[topic].remove(call)
                if not self._calls[topic]:
                    del self._calls[topic]
                self._needed_at = time.monotonic()

    def stop(self) -> None:
        """End the thread and its connection, and return when they have ended."""
        self._is_stopping = True
        if (thread := self._thread) is not None:
            thread.join()

    def _run(self) -> None:
        while not self._has_ended():
            heard = connection.copy()
            try:
                with heard.wrap_database_errors:
                    return self._hear(heard)
            except DatabaseError:
                logger.warning("Wake-ups are not heard; trying again.", exc_info=True)
                time.sleep(RETRY_S)
            finally:
                heard.close()

    def _hear(self, heard: BaseDatabaseWrapper) -> None:
        """Pass on what is heard until this listener is to end."""
        with heard.cursor() as cursor:
            cursor.execute(f"listen {CHANNEL}")
        for topic in list(self._calls):  # what was sent before now was not heard
            self._pass_on(topic)
        while not self._has_ended():
            for notice in heard.connection.notifies(timeout=HEARING_S):
                self._pass_on(notice.payload)

    def _pass_on(self, topic: str) -> None:
        with self._lock:
            calls = list(self._calls.get(topic, ()))
        for call in calls:
            call()

    def _has_ended(self) -> bool:
        """Say whether the thread is to end, and if so make room for another one."""
        with self._lock:
            is_idle = not self._calls and time.monotonic() - self._needed_at > IDLE_S
            if self._is_stopping or is_idle:
                self._thread = None
            return self._thread is None


@functools.cache
def listener() -> Listener:
    """Return the listener of this process."""
    return Listener()
