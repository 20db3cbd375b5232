"""Promised maintenance is sent where nobody is at work, and asked for again where a worker was lost."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from memory import dispatch
from memory.models import KnowledgeBaseRecord, MaintenanceState, OutboxRecord, Round, Space
from memory.services import space_maintain
from memory.services.dialogue import MAINTENANCE_TASK
from memory.services.knowledge import KNOWLEDGE_TASK, knowledge_upload
from memory.services.knowledge.bases import SILENT
from memory.services.maintenance import space_lease_take
from tests.integration.memory.dialogues import new_session, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, int]]]:
    """What the broker is given."""
    tasks: list[tuple[str, dict[str, int]]] = []
    monkeypatch.setattr(dispatch.current_app, "send_task", lambda task, *, kwargs, queue: tasks.append((task, kwargs)))
    return tasks


def test_maintenance_is_not_sent_for_a_space_that_has_a_writer(space, sent):
    other = Space.objects.create(name="Another")
    for each in (space, other):
        say(new_session(each), "I live in Paris.")
    assert space_lease_take(space.pk) is not None
    dispatch.outbox_flush()
    assert sent == [(MAINTENANCE_TASK, {"space_id": other.pk})]
    assert not OutboxRecord.objects.exists()


def test_maintenance_is_sent_for_a_space_whose_writer_died(space, sent):
    say(new_session(space), "I live in Paris.")
    space_lease_take(space.pk)
    Space.objects.update(maintenance_until=timezone.now() - timedelta(seconds=1))
    dispatch.outbox_flush()
    assert sent == [(MAINTENANCE_TASK, {"space_id": space.pk})]


def test_writer_learns_the_round_whose_promise_was_not_sent(space, extractor, sent):
    session = new_session(space)
    say(session, "I live in Paris.")
    OutboxRecord.objects.all().delete()

    def say_more() -> None:
        extractor.before = lambda: None
        say(session, "I live in Lyon.")
        dispatch.outbox_flush()

    extractor.before = say_more
    assert space_maintain(space_id=space.pk) == 2
    assert sent == [] and not OutboxRecord.objects.filter(task=MAINTENANCE_TASK).exists()
    assert not Round.objects.exclude(maintenance=MaintenanceState.DONE).exists()


def test_sweep_asks_once_in_a_while_for_a_space_that_nobody_came_for(space, sent):
    say(new_session(space), "I live in Paris.")
    OutboxRecord.objects.all().delete()
    for _ in range(3):
        dispatch.sweep()
    assert sent == [(MAINTENANCE_TASK, {"space_id": space.pk})]
    Space.objects.update(looked_for_at=timezone.now() - dispatch.GRACE)
    dispatch.sweep()
    assert len(sent) == 2


def test_sweep_asks_for_nobody_where_a_worker_is_at_it_or_nothing_is_left(space, extractor, sent):
    say(new_session(space), "I live in Paris.")
    OutboxRecord.objects.all().delete()
    lease = space_lease_take(space.pk)
    dispatch.sweep()
    lease.release()
    space_maintain(space_id=space.pk)
    OutboxRecord.objects.all().delete()
    dispatch.sweep()
    assert sent == []


def test_sweep_that_does_not_reach_the_broker_asks_again(space, monkeypatch, sent):
    def unreachable(task: str, *, kwargs: dict[str, int], queue: str) -> None:
        raise OperationalError("no broker")

    say(new_session(space), "I live in Paris.")
    OutboxRecord.objects.all().delete()
    with monkeypatch.context() as broken:
        broken.setattr(dispatch.current_app, "send_task", unreachable)
        with pytest.raises(OperationalError):
            dispatch.sweep()
    dispatch.sweep()
    assert sent == [(MAINTENANCE_TASK, {"space_id": space.pk})]


def test_sweep_asks_again_for_knowledge_whose_worker_was_lost(space, sent):
    base = knowledge_upload(space=space, content=b"a\tb\tc\n", file_name="b.tsv", name="Books")
    OutboxRecord.objects.all().delete()
    dispatch.sweep()
    assert not OutboxRecord.objects.exists()
    KnowledgeBaseRecord.objects.update(progressed_at=timezone.now() - SILENT - timedelta(seconds=1))
    dispatch.sweep()
    dispatch.sweep()
    assert sent == [(KNOWLEDGE_TASK, {"base_id": base.pk})]
