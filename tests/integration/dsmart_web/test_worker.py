"""The worker inside the product, the sweeper, and what is asked of somebody's database."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest
from celery import Celery
from django.db import connection
from django.test import Client

from dsmart_web.celery import QUEUES
from dsmart_web.embedded import sweeper as sweeping
from dsmart_web.embedded.celery_worker import CONCURRENCY, EmbeddedWorker
from dsmart_web.embedded.database import database_check
from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.sweeper import Sweeper


@pytest.fixture(scope="module")
def app() -> Iterator[Celery]:
    """One application for all tests: Celery's tracing of tasks knows one a process."""
    nothing_to_sweep = Sweeper()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "sweeper", lambda: nothing_to_sweep)
        made = Celery("test", broker="memory://test", set_as_current=False)
        made.conf.broker_transport_options = {"polling_interval": 0.01}
        made.conf.task_ignore_result = True
        yield made


def test_long_maintenance_does_not_keep_a_reply_waiting(app: Celery) -> None:
    release, replied = threading.Event(), threading.Event()
    maintained: list[int] = []

    @app.task(name="maintain")
    def maintain(number: int) -> None:
        release.wait(30)
        maintained.append(number)

    @app.task(name="reply")
    def reply() -> None:
        replied.set()

    worker = EmbeddedWorker(app)
    worker.start()
    try:
        for number in range(6):
            maintain.apply_async((number,), queue="maintenance")
        began = time.monotonic()
        reply.apply_async(queue="reply")
        assert replied.wait(10)
        waited = time.monotonic() - began
        assert maintained == []
    finally:
        release.set()
        assert worker.stop(timeout_s=20)
    assert waited < 2
    assert set(maintained) <= set(range(6))


def test_worker_that_is_stopped_gives_up_on_a_task_that_does_not_end(app: Celery) -> None:
    started, release = threading.Event(), threading.Event()

    @app.task(name="endless")
    def endless() -> None:
        started.set()
        release.wait(30)

    worker = EmbeddedWorker(app, {"endless": 1})
    worker.start()
    endless.apply_async(queue="endless")
    assert started.wait(10)
    assert worker.stop(timeout_s=0.5) is False
    release.set()


def test_every_queue_has_a_worker() -> None:
    assert set(CONCURRENCY) == set(QUEUES)


def test_sweep_that_fails_is_logged_and_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    swept = threading.Semaphore(0)

    def fail() -> None:
        raise ConnectionError("no broker")

    sweeper = Sweeper(fail, swept.release, interval_s=0.01)
    with caplog.at_level(logging.ERROR, logger=sweeping.__name__):
        sweeper.start()
        assert all(swept.acquire(timeout=5) for _ in range(3))
        sweeper.stop()
    assert "no broker" in caplog.text


@pytest.mark.django_db
def test_database_without_pgvector_is_said_in_one_line() -> None:
    database_check()
    with connection.cursor() as cursor:
        # A temporary relation is found before the catalogue's: this session sees a server that offers no extension.
        cursor.execute("create temporary view pg_available_extensions as select ''::name as name where false")
    with pytest.raises(EmbeddedServiceError, match=r"has no pgvector extension\. Install it .* or unset DATABASE_URL"):
        database_check()


@pytest.mark.django_db
def test_health_is_told_to_anybody(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert client.post("/healthz").status_code == 405
