"""Counts what happens, in figures that name nobody, for all processes of the product together.

Each process adds up in its own memory. Where there is a Redis server, a thread adds that to the server's figures every
`SHARE_S` seconds, so that any process can tell those of all; without one there is a single process. What the server lost
begins at 0 again, which a monitor knows of counters.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import threading
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
SHARE_S = 2.0
# A process that has told nothing for so long is gone, with its sockets.
ALIVE_S = 15
TOTALS, SOCKETS = "dsmart:meters", "dsmart:sockets:"
TIMEOUT_S = 2.0


@dataclass(frozen=True)
class Figure:
    """One number: of a meter with labels, the count, the sum of seconds, or how many were within a bound."""

    meter: str
    part: str
    labels: tuple[tuple[str, str], ...]

    def key(self) -> str:
        return json.dumps([self.meter, self.part, self.labels])

    @classmethod
    def of_key(cls, key: str) -> Figure:
        meter, part, labels = json.loads(key)
        return cls(meter, part, tuple((name, value) for name, value in labels))


class Meters:
    """The figures of this process, and of all where they are shared."""

    def __init__(self, address: str = "") -> None:
        self._address = address
        self._lock = threading.Lock()
        self._counted: dict[Figure, float] = {}
        self._sockets = 0
        self._sharing: threading.Thread | None = None
        self._is_failing = False

    def observe(self, meter: str, seconds: float, **labels: str) -> None:
        """Count something that took so many seconds."""
        named = tuple(sorted(labels.items()))
        place = bisect_left(BOUNDS_S, seconds)
        bound = str(BOUNDS_S[place]) if place < len(BOUNDS_S) else "+Inf"
        self._add({Figure(meter, "sum", named): seconds, Figure(meter, bound, named): 1})

    def count(self, meter: str, by: float = 1, **labels: str) -> None:
        self._add({Figure(meter, "total", tuple(sorted(labels.items()))): by})

    def socket_opened(self) -> None:
        with self._lock:
            self._sockets += 1
        self._share_from_now()

    def socket_closed(self) -> None:
        with self._lock:
            self._sockets -= 1

    def figures(self) -> dict[Figure, float]:
        """Return the figures of all processes. Raises `redis.RedisError` where the server cannot be asked."""
        if not self._address:
            with self._lock:
                return dict(self._counted)
        self.share()
        with self._redis() as server:
            told = server.hgetall(TOTALS)
        return {Figure.of_key(key.decode()): float(value) for key, value in told.items()}

    def sockets(self) -> int:
        """Return how many sockets are open in all processes."""
        if not self._address:
            return self._sockets
        with self._redis() as server:
            keys = list(server.scan_iter(f"{SOCKETS}*"))
            return sum(int(value) for value in server.mget(keys) if value is not None) if keys else 0

    def share(self) -> None:
        """Add what was counted here since the last time to the server's figures."""
        import redis

        with self._lock:
            counted, self._counted = self._counted, {}
        try:
            with self._redis() as server, server.pipeline(transaction=True) as pipe:
                for figure, value in counted.items():
                    pipe.hincrbyfloat(TOTALS, figure.key(), value)
                pipe.set(f"{SOCKETS}{os.uname().nodename}:{os.getpid()}", self._sockets, ex=ALIVE_S)
                pipe.execute()
        except redis.RedisError:
            self._count(counted)
            raise

    def _add(self, more: dict[Figure, float]) -> None:
        self._count(more)
        self._share_from_now()

    def _count(self, more: dict[Figure, float]) -> None:
        with self._lock:
            for figure, value in more.items():
                self._counted[figure] = self._counted.get(figure, 0.0) + value

    def _share_from_now(self) -> None:
        if self._address and self._sharing is None:
            with self._lock:
                if self._sharing is None:
                    self._sharing = threading.Thread(target=self._run, name="meters", daemon=True)
                    self._sharing.start()

    def _run(self) -> None:
        import redis

        pause = threading.Event()
        while not pause.wait(SHARE_S):
            try:
                self.share()
                self._is_failing = False
            except redis.RedisError as error:
                if not self._is_failing:
                    logger.warning("The figures of this process wait for the Redis server: %s", error)
                self._is_failing = True

    def _redis(self) -> redis.Redis:
        import redis

        return redis.Redis.from_url(self._address, socket_connect_timeout=TIMEOUT_S, socket_timeout=TIMEOUT_S)


@functools.cache
def meters() -> Meters:
    """Return the meters of this process."""
    return Meters(settings.REDIS_URL)


# A process that is forked counts for itself, from nothing.
os.register_at_fork(after_in_child=meters.cache_clear)


def within(figures: Iterable[tuple[Figure, float]]) -> dict[str, float]:
    """Return how many were within each bound, the smaller ones included, from those that were between two bounds."""
    between = {figure.part: value for figure, value in figures}
    total, summed = 0.0, dict[str, float]()
    for bound in (*map(str, BOUNDS_S), "+Inf"):
        total += between.get(bound, 0.0)
        summed[bound] = total
    return summed
