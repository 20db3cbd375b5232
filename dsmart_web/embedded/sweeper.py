"""Every few seconds: sends what the outbox still holds, and finds work whose worker died."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable

from django.db import close_old_connections, connections

logger = logging.getLogger(__name__)

INTERVAL_S = 3.0


class Sweeper:
    """A thread that calls `sweeps` in turn. A sweep that fails is logged and tried again; it stops nothing else."""

    def __init__(self, *sweeps: Callable[[], object], interval_s: float = INTERVAL_S) -> None:
        self._sweeps = sweeps
        self._interval_s = interval_s
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float = 3.0) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout_s)
            self._thread = None

    def _run(self) -> None:
        while True:
            for sweep in self._sweeps:
                close_old_connections()
                try:
                    sweep()
                except Exception:
                    logger.exception("A sweep failed; it is tried again in %s s.", self._interval_s)
            if self._stopping.wait(self._interval_s):
                connections.close_all()
                return


@functools.cache
def sweeper() -> Sweeper:
    """Return the sweeper of this process; the first sweep, at its start, resumes what an earlier process left."""
    import conversations.dispatch
    import memory.dispatch
    from dsmart_web.embedded.database import database_mend

    return Sweeper(database_mend, memory.dispatch.sweep, conversations.dispatch.sweep)
