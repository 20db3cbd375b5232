"""The database that the settings name: started when it is the embedded one, looked at when it is somebody's server."""

import functools
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, connection, connections

from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.postgres import EmbeddedPostgres
from memory.adapters.row_security.scope import as_owner
from memory.adapters.wakeups import listener

logger = logging.getLogger(__name__)


@functools.cache
def embedded_postgres() -> EmbeddedPostgres:
    """Return the supervisor of the embedded server; one a process, so that its users are counted together."""
    return EmbeddedPostgres(home=settings.EMBEDDED_POSTGRES_HOME, sockets=settings.EMBEDDED_POSTGRES_SOCKETS)


@contextmanager
def database_running() -> Iterator[None]:
    """Keep the database running inside the block. Raise `EmbeddedServiceError` when it cannot be used."""
    database_join()
    try:
        yield
    finally:
        database_leave()


def database_join() -> str:
    """Start or join the database, and return what was done, as a phrase."""
    if settings.DATABASE_URL:
        database_check()
        return f"at {_address()}"
    return "started" if embedded_postgres().join() else "already running"


def database_mend() -> None:
    """Start the embedded server again when it died while the product runs."""
    if not settings.DATABASE_URL and embedded_postgres().mend():
        logger.warning("PostgreSQL had ended and was started again.")


def database_leave() -> None:
    if not settings.DATABASE_URL:
        listener().stop()
        connections.close_all()
        embedded_postgres().leave()


def database_check() -> None:
    """Raise a sentence when the server of DATABASE_URL cannot be reached, or has no pgvector."""
    try:
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("select 1 from pg_available_extensions where name = 'vector'")
            has_pgvector = cursor.fetchone() is not None
    except Error as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise EmbeddedServiceError(
            f"The database at {_address()} cannot be reached: {reason}. Start it, or correct or unset DATABASE_URL."
        ) from error
    if not has_pgvector:
        raise EmbeddedServiceError(
            f"The database at {_address()} has no pgvector extension. Install it "
            "(https://github.com/pgvector/pgvector#installation; Debian: postgresql-NN-pgvector) or unset DATABASE_URL."
        )


def _address() -> str:
    """Return host, port and name, never the password."""
    chosen = settings.DATABASES["default"]
    return f"{chosen['HOST'] or 'localhost'}:{chosen['PORT'] or 5432}/{chosen['NAME']}"
