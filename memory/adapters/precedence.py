"""Lets computing that a person waits for go first: other computing of this process gives way to it, for a moment at most."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

GIVE_WAY_S = 1.0


class Precedence:
    """Counts who goes first at the moment. Who goes first gives way to nobody."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._first: set[int] = set()

    @contextmanager
    def going_first(self) -> Iterator[None]:
        """Let this thread go first inside the block."""
        thread = threading.get_ident()
        with self._changed:
            self._first.add(thread)
        try:
            yield
        finally:
            with self._changed:
                self._first.discard(thread)
                self._changed.notify_all()

    def give_way(self, *, within_s: float = GIVE_WAY_S) -> None:
        """Wait until nobody else goes first, for `within_s` seconds at most."""
        with self._changed:
            if threading.get_ident() not in self._first:
                self._changed.wait_for(lambda: not self._first, within_s)


precedence = Precedence()
