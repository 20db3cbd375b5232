"""A lease: one worker at a time, kept while it works, lost to another one only after it ran out."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from memory.models import Space
from memory.services.leases import LeaseLost, lease_take, lease_wait
from tests.threads import seeing_thread

pytestmark = pytest.mark.django_db
NAME = "maintenance"


@pytest.fixture
def spaces(db) -> list[Space]:
    return [Space.objects.create(name=name) for name in ("one", "two", "three")]


def test_lease_is_taken_of_the_rows_that_are_free_and_changes_them(spaces):
    one, two, three = spaces
    first = lease_take(Space.objects.filter(pk=one.pk), name=NAME)
    second = lease_take(Space.objects.all(), name=NAME, embedder="mine")
    assert set(first.held) == {one} and set(second.held) == {two, three}
    assert list(Space.objects.order_by("pk").values_list("embedder", flat=True)) == ["", "mine", "mine"]
    assert lease_take(Space.objects.all(), name=NAME) is None


def test_lease_that_ran_out_is_another_workers_and_its_holder_writes_nothing(spaces):
    rows = Space.objects.filter(pk=spaces[0].pk)
    late = lease_take(rows, name=NAME)
    rows.update(maintenance_until=timezone.now() - timedelta(seconds=1))
    with late.committing() as row:
        assert row == spaces[0], "nobody took it over yet"
    taken = lease_take(rows, name=NAME)
    with pytest.raises(LeaseLost), late.committing():
        pytest.fail("the block must not run")
    assert (late.prolong(), taken.prolong()) == (False, True)
    late.release()
    assert set(taken.held) == {spaces[0]}


def test_lease_of_deleted_rows_is_lost(spaces):
    lease = lease_take(Space.objects.filter(pk=spaces[0].pk), name=NAME)
    spaces[0].delete()
    with pytest.raises(LeaseLost), lease.committing():
        pytest.fail("the block must not run")


@pytest.mark.django_db(transaction=True)
def test_lease_is_kept_alive_while_its_holder_works(spaces, settings):
    settings.DSMART_LEASE_S = 0.6
    lease = lease_take(Space.objects.filter(pk=spaces[0].pk), name=NAME)
    with lease.kept_alive():
        time.sleep(1.2)
        assert lease_take(lease.rows, name=NAME) is None
    time.sleep(0.9)
    assert lease_take(lease.rows, name=NAME) is not None


@pytest.mark.django_db(transaction=True)
def test_lease_is_taken_by_one_of_many_and_passed_on_as_soon_as_it_is_released(spaces):
    rows = Space.objects.filter(pk=spaces[0].pk)
    holders: list[float] = []
    lock = threading.Lock()

    def work() -> None:
        lease = lease_wait(rows, within_s=30, name=NAME)
        with lock:
            holders.append(1)
            assert Space.objects.filter(maintenance_token=lease.token).count() == 1
        lease.release()
        connection.close()

    workers = [seeing_thread(target=work) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert len(holders) == 5


def test_lease_that_is_not_released_is_waited_for_no_longer_than_said(spaces):
    rows = Space.objects.filter(pk=spaces[0].pk)
    assert lease_take(rows, name=NAME) is not None
    began = time.monotonic()
    assert lease_wait(rows, within_s=0.2, name=NAME) is None
    assert 0.2 <= time.monotonic() - began < 3
