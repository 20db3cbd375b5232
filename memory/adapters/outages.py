"""Tells a database that is away from a query that is wrong."""

from __future__ import annotations

import logging
import threading
import time

import psycopg
from django.db import InterfaceError, OperationalError

# Connection exceptions, and a server that is being shut down, crashed or starts.
CLASSES = ("08", "57P")
LINE_EVERY_S = 60.0

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_told_at: float | None = None


def is_away(error: BaseException | None) -> bool:
    """Return whether an error, or what it was raised from, says that the database cannot be reached.

    >>> is_away(OperationalError("connection refused")), is_away(ValueError("of another kind"))
    (True, False)
    """
    while error is not None:
        if isinstance(error, InterfaceError | psycopg.InterfaceError):
            return "connection" in str(error)
        if isinstance(error, OperationalError | psycopg.OperationalError):
            state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
            return state is None or state.startswith(CLASSES)
        error = error.__cause__ or error.__context__
    return False


def outage_note(error: BaseException) -> None:
    """Log an outage that was answered; the log tells it once a minute."""
    logger.error("The database is away.", exc_info=error)


def line_is_due() -> bool:
    """Return whether the outage is to be told now: once in `LINE_EVERY_S` seconds a process."""
    global _told_at
    with _lock:
        now = time.monotonic()
        if _told_at is not None and now - _told_at < LINE_EVERY_S:
            return False
        _told_at = now
        return True
