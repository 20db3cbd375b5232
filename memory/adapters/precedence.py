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
        self._is_first = ContextVar("goes first", default=False)

    @contextmanager
    def going_first(self) -> Iterator[None]:
        """Let this context, and the threads that run in a copy of it, go first inside the block."""
        one, token = object(), self._is_first.set(True)
        with self._changed:
            self._until[one] = time.monotonic() + GIVE_WAY_S
        try:
            yield
        finally:
            self._is_first.reset(token)
            with self._changed:
                del self._until[one]
                self._changed.notify_all()

    def give_way(self, *, within_s: float = GIVE_WAY_S) -> None:
        """Wait until nobody else goes first, for `within_s` seconds at most."""
        if self._is_first.get():
            return
        give_up = time.monotonic() + within_s
        with self._changed:
            while (left := min(give_up, max(self._until.values(), default=0.0)) - time.monotonic()) > 0:
                self._changed.wait(left)


precedence = Precedence()
