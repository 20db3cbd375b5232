"""The worker inside the product, the sweeper, and what is asked of somebody's database."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest
from celery import Celery
from django.db import connection
from django.test import Client

from dsmart_web.celery import QUEUES
from dsmart_web.celery import app as celery
from dsmart_web.embedded import sweeper as sweeping
from dsmart_web.embedded.celery_worker import CONCURRENCY, EmbeddedWorker
from dsmart_web.embedded.database import database_check
from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.sweeper import Sweeper
from memory.services.dialogue import MAINTENANCE_QUEUE
from memory.services.import_jobs import QUEUE as IMPORT_QUEUE
from memory.services.import_jobs import TASKS as IMPORTS
from memory.services.knowledge import KNOWLEDGE_QUEUE


@pytest.fixture
def app() -> Iterator[Celery]:
    nothing_to_sweep = Sweeper()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeping, "sweeper", lambda: nothing_to_sweep)
        made = Celery("test", broker="memory://test", set_as_current=False)
        made.conf.broker_transport_options = {"polling_interval": 0.01}
        made.conf.task_ignore_result = True
        # The product's own queues: without their exchanges every queue would take the others' tasks too.
        made.conf.task_queues = celery.conf.task_queues
        discard_what_earlier_tests_sent(made)
        yield made
        celery.set_default()


def discard_what_earlier_tests_sent(app: Celery) -> None:
    """Empty the queues: the in-memory broker is one for the whole process."""
    with app.connection() as connection:
        for name in QUEUES:
            connection.SimpleQueue(name).clear()


def test_long_maintenance_keeps_neither_a_reply_nor_the_stop_waiting(app: Celery) -> None:
    begun, release, replied = threading.Event(), threading.Event(), threading.Event()
    maintained: list[int] = []

    @app.task(name="maintain", shared=False)
    def maintain(number: int) -> None:
        begun.set()
        release.wait(30)
        maintained.append(number)

    @app.task(name="reply", shared=False)
    def reply() -> None:
        replied.set()

    others = set(threading.enumerate())
    worker = EmbeddedWorker(app)
    try:
        worker.start()
        for number in range(6):
            maintain.apply_async((number,), queue="maintenance")
        assert begun.wait(10)
        reply.apply_async(queue="reply")
        assert replied.wait(10)
        assert maintained == []
        assert worker.stop(timeout_s=0.5) is False
    finally:
        release.set()
        worker.stop()
        for thread in set(threading.enumerate()) - others:
            if thread.name.startswith("worker-"):  # it would take what later tests send
                thread.join()


def test_imports_that_run_keep_no_message_from_being_learnt(app: Celery) -> None:
    begun, release, learnt = threading.Event(), threading.Event(), threading.Event()

    # Names of their own: the product's shared tasks enter every app, and win over a name that is theirs.
    @app.task(name="bring in", shared=False)
    def bring_in() -> None:
        begun.set()
        release.wait(30)

    @app.task(name="learn", shared=False)
    def learn() -> None:
        learnt.set()

    others = set(threading.enumerate())
    worker = EmbeddedWorker(app)
    try:
        worker.start()
        for queue in (*[IMPORT_QUEUE] * len(IMPORTS), KNOWLEDGE_QUEUE) * 3:
            bring_in.apply_async(queue=queue)
        assert begun.wait(10)
        learn.apply_async(queue=MAINTENANCE_QUEUE)
        assert learnt.wait(10) and not release.is_set()
    finally:
        release.set()
        worker.stop()
        for thread in set(threading.enumerate()) - others:
            if thread.name.startswith("worker-"):
                thread.join()


def test_every_queue_has_a_worker_and_a_key_of_its_own() -> None:
    assert set(CONCURRENCY) == set(QUEUES)
    queues = celery.amqp.queues.values()
    assert {(queue.exchange.name, queue.routing_key) for queue in queues} == {(name, name) for name in QUEUES}


@pytest.mark.parametrize("queue", QUEUES)
def test_task_is_delivered_to_its_queue_once(queue: str) -> None:
    with celery.connection() as connected:
        channel = connected.default_channel
        bound = [celery.amqp.queues[name](channel) for name in QUEUES]
        for each in bound:
            each.declare()
        before = [len(channel._queue_for(name).queue) for name in QUEUES]
        celery.send_task("nobody.runs.this", queue=queue)
        after = [len(channel._queue_for(name).queue) for name in QUEUES]
        arrived = {name: now - then for name, then, now in zip(QUEUES, before, after, strict=True)}
        for each in bound:
            each.purge()
    assert arrived == {name: int(name == queue) for name in QUEUES}


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
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert client.post("/healthz").status_code == 405
