"""Wake-ups: heard at the commit that they speak of, by whoever waits; one that is lost costs a moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from memory.adapters import wakeups
from memory.adapters.row_security.scope import as_owner
from memory.adapters.wakeups import LOOK_S, Listener, listener, wait_until, wake
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db(transaction=True)
TOPIC = "something happened"


@pytest.fixture
def happened() -> threading.Event:
    return threading.Event()


@pytest.fixture(autouse=True)
def a_listener_that_hears() -> Iterator[None]:
    """Have the listener connected, so that what a test measures is not its start."""
    heard = threading.Event()
    with listener().calling("are you there", heard.set):
        while not heard.wait(0.05):
            wake("are you there")
        yield


def waiter(happened: threading.Event, *, within_s: float = 30) -> tuple[threading.Thread, list[tuple[bool, float]]]:
    """Wait in a thread; return it and what it will have found, and when."""
    found: list[tuple[bool, float]] = []

    def wait() -> None:
        is_so = wait_until(happened.is_set, topic=TOPIC, within_s=within_s)
        found.append((is_so, time.monotonic()))

    thread = seeing_thread(target=wait)
    thread.start()
    time.sleep(0.1)
    return thread, found


def test_whoever_waits_is_woken_at_the_commit_and_not_before(happened, monkeypatch):
    monkeypatch.setattr(wakeups, "LOOK_S", 30)
    thread, found = waiter(happened)
    with transaction.atomic():
        wake(TOPIC)
        happened.set()
        time.sleep(0.3)
        assert found == []
        committed = time.monotonic()
    thread.join(10)
    [(is_so, woken)] = found
    assert is_so and 0 <= woken - committed < 2


def test_wake_up_of_a_transaction_that_is_undone_is_not_heard(happened, monkeypatch):
    monkeypatch.setattr(wakeups, "LOOK_S", 30)
    calls: list[int] = []
    with listener().calling(TOPIC, lambda: calls.append(1)):
        with transaction.atomic():
            wake(TOPIC)
            transaction.set_rollback(True)
        time.sleep(0.3)
        assert calls == []
        wake(TOPIC)
        while not calls:
            time.sleep(0.01)
    assert calls == [1]


def test_wake_up_that_is_lost_costs_a_moment(happened):
    thread, found = waiter(happened)
    happened.set()
    began = time.monotonic()
    thread.join(10)
    [(is_so, woken)] = found
    assert is_so and woken - began < LOOK_S + 1


def test_what_does_not_happen_is_waited_for_no_longer_than_said(happened):
    began = time.monotonic()
    assert not wait_until(happened.is_set, topic=TOPIC, within_s=0.2)
    assert 0.2 <= time.monotonic() - began < 2


def test_listener_whose_connection_breaks_hears_again(happened, monkeypatch, caplog):
    monkeypatch.setattr(wakeups, "LOOK_S", 30)
    monkeypatch.setattr(wakeups, "RETRY_S", 0.05)
    thread, found = waiter(happened)
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen dsmart'")
        assert cursor.fetchall(), "nobody listened"
    happened.set()
    thread.join(10)
    assert found and found[0][0], "what was said while nobody heard is looked at again"
    assert "Wake-ups are not heard" in caplog.text


def test_listener_ends_when_nobody_has_waited_for_a_while_and_begins_again(monkeypatch):
    monkeypatch.setattr(wakeups, "IDLE_S", 0.1)
    own, heard = Listener(), threading.Event()
    for _ in range(2):
        with own.calling(TOPIC, heard.set):
            thread = own._thread
            while not heard.wait(0.05):
                wake(TOPIC)
        heard.clear()
        thread.join(5)
        assert not thread.is_alive() and own._thread is None
