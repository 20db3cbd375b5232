"""Lets computing that a person waits for go first: other computing of this process gives way to it, for a moment at most."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

GIVE_WAY_S = 1.0
# A model is called many times for one result, and each call may give way anew.
BETWEEN_CALLS_S = 0.2


class Precedence:
    """Knows who goes first at the moment, each for `GIVE_WAY_S` seconds at most. Who goes first gives way to nobody."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._until: dict[object, float] = {}
        self._own = ContextVar[object | None]("goes first", default=None)

    @contextmanager
    def going_first(self) -> Iterator[None]:
        """Let this context, and the threads that run in a copy of it, go first inside the block."""
        one = object()
        token = self._own.set(one)
        self._put(one, time.monotonic() + GIVE_WAY_S)
        try:
            yield
        finally:
            self._own.reset(token)
            self._take(one)

    @contextmanager
    def standing_back(self) -> Iterator[None]:
        """Let nobody give way to this context inside the block, in which it waits: perhaps for one that gives way to it."""
        one = self._own.get()
        until = self._take(one)
        try:
            yield
        finally:
            if until is not None:
                self._put(one, until)

    def _put(self, one: object, until: float) -> None:
        with self._changed:
            self._until[one] = until

    def _take(self, one: object) -> float | None:
        with self._changed:
            self._changed.notify_all()
            return self._until.pop(one, None)

    def give_way(self, *, within_s: float = GIVE_WAY_S) -> None:
        """Wait until nobody else goes first, for `within_s` seconds at most."""
        if self._own.get() is not None:
            return
        give_up = time.monotonic() + within_s
        with self._changed:
            while (left := min(give_up, max(self._until.values(), default=0.0)) - time.monotonic()) > 0:
                self._changed.wait(left)


precedence = Precedence()
