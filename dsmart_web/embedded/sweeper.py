"""Every few seconds sends what is left in the outbox and finds work whose worker died."""

import functools
import logging
import threading
import time
from collections.abc import Callable

from django.db import close_old_connections, connections

from memory.adapters.outages import is_away, outage_note
from memory.adapters.row_security.scope import everything

logger = logging.getLogger(__name__)

INTERVAL_S = 3.0
LONGEST_WAIT_S = 24.0
SELDOM_INTERVAL_S = 300.0
SCORES_INTERVAL_S = 30.0


class Sweeper:
    """A thread that calls `sweeps` in turn. A sweep that fails is logged and called again at the next turn.

    Where the database is away the rest of the turn is left out, and the next one comes later each time.
    """

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
        wait_s = self._interval_s
        while True:
            wait_s = self._interval_s if self._turn() else min(2 * wait_s, max(LONGEST_WAIT_S, self._interval_s))
            if self._stopping.wait(wait_s):
                connections.close_all()
                return

    def _turn(self) -> bool:
        """Call each sweep; return False where the database is away."""
        for sweep in self._sweeps:
            close_old_connections()
            try:
                with everything():
                    sweep()
            except Exception as error:
                if is_away(error):
                    outage_note(error)
                    return False
                logger.exception("A sweep failed; it is tried again in %s s.", self._interval_s)
        return True


class Seldom:
    """A sweep that runs at its first turn and then at most once an interval."""

    def __init__(self, sweep: Callable[[], object], *, interval_s: float) -> None:
        self._sweep = sweep
        self._interval_s = interval_s
        self._ran_at: float | None = None

    def __call__(self) -> None:
        now = time.monotonic()
        if self._ran_at is None or now - self._ran_at >= self._interval_s:
            self._ran_at = now
            self._sweep()


@functools.cache
def sweeper() -> Sweeper:
    """Return the sweeper of this process; its first sweep resumes what an earlier process left."""
    import conversations.dispatch
    import evaluation.dispatch
    import memory.dispatch
    from dsmart_web.embedded.database import database_mend

    seldom = Seldom(memory.dispatch.seldom_sweep, interval_s=SELDOM_INTERVAL_S)
    scores = Seldom(evaluation.dispatch.sweep, interval_s=SCORES_INTERVAL_S)
    return Sweeper(database_mend, memory.dispatch.sweep, conversations.dispatch.sweep, seldom, scores)
