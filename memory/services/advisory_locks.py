"""Locks of the database that belong to no row."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def advisory_lock(key: int) -> Iterator[bool]:
    """Try to take an advisory lock and yield whether it was taken; release it when the block ends.

    PostgreSQL ties the lock to the connection, so a process that dies leaves no lock behind.
    """
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(%s)", [key])
        is_mine = bool(cursor.fetchone()[0])
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("select pg_advisory_unlock(%s)", [key])
