"""Keeping a lease alive while the work under it takes its time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

logger = logging.getLogger(__name__)


@contextmanager
def kept_alive(renew: Callable[[], bool]) -> Iterator[None]:
    """Call `renew` from a thread every third of the lease time until the block ends or `renew` says that it is lost."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(settings.DSMART_LEASE_S / 3):
            try:
                if not renew():
                    return
            except DatabaseError:
                logger.warning("A lease could not be prolonged; trying again.", exc_info=True)
                close_old_connections()
        connection.close()

    thread = threading.Thread(target=beat, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
