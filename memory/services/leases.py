"""Leases: the right of one worker at a time to write certain rows.

A lease is a token and an expiry time, in two columns of the rows. A worker takes a lease that is free or expired, prolongs it
while it works, and writes in transactions that lock the rows and compare the token, so a worker whose lease expired writes
nothing more. The lease of a dead worker expires, and another worker takes the rows over.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error, close_old_connections, connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memory.adapters.row_security.scope import carrying
from memory.adapters.wakeups import wait_until, wake

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Raised where the rows are deleted or another worker's. What the worker had not committed is dropped."""


@dataclass(frozen=True)
class Lease:
    """The right to write `rows`, by the columns `{name}_token` and `{name}_until`."""

    rows: QuerySet
    token: uuid.UUID
    name: str = "lease"

    @property
    def held(self) -> QuerySet:
        """The rows that this worker still holds."""
        return self.rows.filter(**{f"{self.name}_token": self.token})

    @contextmanager
    def committing(self) -> Iterator[Any]:
        """A transaction in which the worker holds the lease; yields the locked row. Raises `LeaseLost`.

        Others may insert rows that refer to the locked one meanwhile.
        """
        with transaction.atomic():
            yield self.check()

    def check(self) -> Any:
        """Lock the first of the rows in the caller's transaction and return it. Raises `LeaseLost`."""
        row = self.held.select_for_update(no_key=True).first()
        if row is None:
            raise LeaseLost
        return row

    def prolong(self) -> bool:
        """Move the expiry time; return False where the worker holds none of the rows any more."""
        return self.held.update(**{f"{self.name}_until": lease_end()}) > 0

    def release(self) -> None:
        """Free the rows, and wake workers that wait for rows of this table."""
        with transaction.atomic(savepoint=False):
            self.held.update(**{f"{self.name}_token": None, f"{self.name}_until": None})
            wake(release_topic(self.rows))

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Prolong the lease from a thread, every third of its duration, until the block ends or the lease is lost."""
        ended = threading.Event()

        def beat() -> None:
            while not ended.wait(settings.DSMART_LEASE_S / 3):
                try:
                    if not self.prolong():
                        break
                except Error:
                    logger.warning("A lease could not be prolonged; trying again.", exc_info=True)
                    close_old_connections()
            connection.close()

        thread = threading.Thread(target=carrying(beat), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()


def lease_take(rows: QuerySet, *, name: str = "lease", **changes: object) -> Lease | None:
    """Take the lease of those of the rows that are free, setting `changes` too; return None where none is free."""
    lease = Lease(rows, uuid.uuid4(), name)
    columns = {f"{name}_token": lease.token, f"{name}_until": lease_end(), **changes}
    return lease if rows.filter(is_free(name)).update(**columns) else None


def lease_wait(rows: QuerySet, *, within_s: float, name: str = "lease") -> Lease | None:
    """Take the lease of the rows as soon as they are free; return None if they are not within `within_s` seconds."""
    taken: list[Lease] = []

    def take() -> bool:
        lease = lease_take(rows, name=name)
        taken.extend([lease] if lease is not None else [])
        return lease is not None

    return taken[0] if wait_until(take, topic=release_topic(rows), within_s=within_s) else None


def release_topic(rows: QuerySet) -> str:
    return f"released {rows.model._meta.db_table}"


def is_free(name: str = "lease") -> Q:
    """Return the condition on rows whose lease is free or expired."""
    return Q(**{f"{name}_token": None}) | Q(**{f"{name}_until__lt": timezone.now()})


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.DSMART_LEASE_S)
