"""What all tests share: the database server, how they are spread over processes, and how long hypothesis searches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import transaction
from psycopg import sql
from pytest_django import DjangoDbBlocker
from rest_framework.request import ForcedAuthentication
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from memory.adapters.row_security.scope import EVERYTHING, enter, of_person, within
from tests import hypothesis_profiles  # noqa: F401  pytest loads one of them by --hypothesis-profile
from tests.product import encoder_exported

# These start, kill and time whole servers: one after the other.
SERVERS = "tests/integration/dsmart_web/"


@pytest.fixture(scope="session", autouse=True)
def fixtures_see_everything() -> None:
    enter(EVERYTHING)


@pytest.fixture(autouse=True)
def see_everything() -> Iterator[None]:
    """Let a test look over all spaces. Requests, sockets, tasks and threads in it see what is theirs, as always."""
    with within(EVERYTHING):
        yield


@pytest.fixture(autouse=True)
def forced_users_see_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a request whose user a test set by force see what it would by the user's token."""
    by_force = ForcedAuthentication.authenticate

    def authenticate(self: ForcedAuthentication, request: Any) -> Any:
        enter(of_person(self.force_user.pk))
        return by_force(self, request)

    monkeypatch.setattr(ForcedAuthentication, "authenticate", authenticate)


@pytest.fixture(scope="session")
def sentence_encoder() -> Path:
    """The folder of the bundled sentence encoder, exported once for all tests of a checkout."""
    return encoder_exported()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, sentence_encoder: Path
) -> Iterator[None]:
    """Run the database server while any test needs it: DATABASE_URL's, or the embedded one over the tests' data folder.

    What is remembered is embedded, so the encoder is there first.
    """
    from dsmart_web.embedded.database import database_running, embedded_postgres

    with database_running():
        if not settings.DATABASE_URL:
            _drop_what_killed_runs_left(embedded_postgres().dsn("postgres"))
        yield


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[DjangoDbBlocker]:
    """A transaction around a whole module, so that a memory is made once: what a fixture of the module writes inside of
    `with module_db.unblock():`, each test finds as it was written, whatever the tests before it changed.

    Not for a module with tests that commit (`transaction=True`). Tests are marked `django_db` as always.
    """
    with django_db_blocker.unblock():
        around = transaction.atomic()
        around._from_testcase = True
        around.__enter__()
    yield django_db_blocker
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


class ByFile(LoadScopeScheduling):
    """Gives a worker a file at a time, and all that start servers to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        return SERVERS if nodeid.startswith(SERVERS) else nodeid.split("::", 1)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile:
    return ByFile(config, log)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Let nobody listen to the tests' database when it is dropped."""
    from memory.adapters.wakeups import listener

    yield
    listener().stop()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, visibly, what needs a GPU where there is none; take slow files first, so that no worker ends with one."""
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.nodeid.startswith(SERVERS)}
    items.sort(key=lambda item: (item.path not in slow, not item.nodeid.startswith(SERVERS)))
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
