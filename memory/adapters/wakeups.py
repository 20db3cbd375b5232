"""Wakes waiting threads of all processes when something happens in the database, by PostgreSQL's LISTEN and NOTIFY.

A wake-up is sent in a transaction and arrives once that is committed. It only says that there may be something new. A waiting
thread also looks every `LOOK_S` seconds, so a lost wake-up costs at most that.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from memory.adapters.precedence import precedence

logger = logging.getLogger(__name__)

CHANNEL = "dsmart"
LOOK_S = 1.0
# A listener that nobody has needed for so long ends, and another one begins with the next who waits.
IDLE_S = 10.0
RETRY_S = 1.0
HEARING_S = 0.25
Wake = Callable[[], object]


def wake(topic: str) -> None:
    """Wake the threads that wait for a topic, in all processes, once the running transaction is committed."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_notify(%s, %s)", [CHANNEL, topic])


def wait_until(is_so: Callable[[], bool], *, topic: str, within_s: float) -> bool:
    """Wait until `is_so` returns True, calling it after each wake-up of the topic; return False after `within_s` seconds."""
    give_up = time.monotonic() + within_s
    woken = threading.Event()
    with listener().calling(topic, woken.set):
        while not is_so():
            left = give_up - time.monotonic()
            if left <= 0:
                return False
            with precedence.standing_back():
                woken.wait(min(left, LOOK_S))
            woken.clear()
    return True


class Listener:
    """A thread with its own connection that receives all wake-ups, running while any thread waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[str, list[Wake]] = defaultdict(list)
        self._needed_at = 0.0
        self._is_stopping = False
        self._thread: threading.Thread | None = None

    @contextmanager
    def calling(self, topic: str, call: Wake) -> Iterator[None]:
        """Call `call` from the listener's thread at each wake-up of a topic inside the block."""
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
        """End the thread and its connection, and wait for that."""
        self._is_stopping = True
        if (thread := self._thread) is not None:
            thread.join()

    def _run(self) -> None:
        while not self._has_ended():
            heard = connection.copy()
            try:
                with heard.wrap_database_errors:
                    return self._hear(heard)
            except Error:
                logger.warning("Wake-ups are not heard; trying again.", exc_info=True)
                time.sleep(RETRY_S)
            finally:
                heard.close()

    def _hear(self, heard: BaseDatabaseWrapper) -> None:
        """Pass wake-ups on until the listener is to end."""
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
        """Return whether the thread is to end, and if so let another one start."""
        with self._lock:
            is_idle = not self._calls and time.monotonic() - self._needed_at > IDLE_S
            if self._is_stopping or is_idle:
                self._thread = None
            return self._thread is None


@functools.cache
def listener() -> Listener:
    """Return the listener of this process."""
    return Listener()
