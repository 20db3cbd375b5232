"""What all tests share: the database server of the session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from psycopg import sql


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Run the database server while any test needs it: DATABASE_URL's, or the embedded one over the tests' data folder."""
    from dsmart_web.embedded.database import database_running, embedded_postgres

    with database_running():
        if not settings.DATABASE_URL:
            _drop_what_killed_runs_left(embedded_postgres().dsn("postgres"))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, visibly, what needs a GPU where there is none."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not Path("/dev/nvidiactl").exists():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="this machine has no NVIDIA GPU"))


def _drop_what_killed_runs_left(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute("select datname from pg_database where datname ~ '^test_dsmart_[0-9]+'").fetchall()
        for (name,) in rows:
            if not Path(f"/proc/{name.split('_')[2]}").exists() and Path("/proc/self").exists():
                with suppress(psycopg.Error):
                    connection.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(name)))
