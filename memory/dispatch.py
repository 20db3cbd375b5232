"""Sends the tasks of the outbox to Celery."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone
from kombu.exceptions import OperationalError

from memory.adapters.row_security.scope import everything
from memory.models import OutboxRecord, Space
from memory.services.dialogue import MAINTENANCE_QUEUE, MAINTENANCE_TASK
from memory.services.graph_checks import checks_promise
from memory.services.import_jobs import jobs_expire, jobs_waiting_promise
from memory.services.indexing import spaces_to_index
from memory.services.knowledge import knowledge_waiting_promise
from memory.services.maintenance import idle_spaces_take
from memory.services.sentence_graph import INDEX_QUEUE, INDEX_TASK

logger = logging.getLogger(__name__)

BATCH = 500
# A space is asked for once in so long by all processes together.
GRACE = timedelta(seconds=5)


@receiver(post_save, sender=OutboxRecord, dispatch_uid="flush outbox on commit")
def outbox_flush_on_commit(**signal: object) -> None:
    """Send the outbox as soon as the transaction that wrote to it is committed."""
    transaction.on_commit(outbox_flush)


def outbox_flush() -> int:
    """Send every task of the outbox and return their number.

    A row is deleted in the transaction in which the broker took its task: a crash sends a task twice rather than never, and
    tasks are idempotent. While the broker is out of reach the rows stay for the next flush. Maintenance of a space that has a
    writer is not sent: it looks for pending rounds after it gave the lease back, and where it died the sweep does.
    """
    sent = 0
    with everything(), transaction.atomic():
        rows = list(OutboxRecord.objects.select_for_update(skip_locked=True).order_by("id")[:BATCH])
        maintained = being_maintained(row.arguments["space_id"] for row in rows if row.task == MAINTENANCE_TASK)
        try:
            for row in rows:
                if row.task != MAINTENANCE_TASK or row.arguments["space_id"] not in maintained:
                    current_app.send_task(row.task, kwargs=row.arguments, queue=row.queue)
                sent += 1
        except OperationalError as error:
            logger.warning("The broker cannot be reached (%s). Work waits in the database.", error)
        OutboxRecord.objects.filter(pk__in=[row.pk for row in rows[:sent]]).delete()
    return sent


def being_maintained(space_ids: Iterable[int]) -> set[int]:
    """Return those of the spaces that have a writer now."""
    wanted = set(space_ids)
    held = Space.objects.filter(pk__in=wanted, maintenance_until__gte=timezone.now())
    return set(held.values_list("pk", flat=True)) if wanted else set()


def sweep() -> None:
    """Send what is left in the outbox, and queue tasks again for spaces with work that no worker does."""
    outbox_flush()
    knowledge_waiting_promise(limit=BATCH)
    jobs_waiting_promise(limit=BATCH)
    with transaction.atomic():
        for space_id in idle_spaces_take(grace=GRACE, limit=BATCH):
            current_app.send_task(MAINTENANCE_TASK, kwargs={"space_id": space_id}, queue=MAINTENANCE_QUEUE)
        for space_id in spaces_to_index().values_list("pk", flat=True)[:BATCH]:
            current_app.send_task(INDEX_TASK, kwargs={"space_id": space_id}, queue=INDEX_QUEUE)


def seldom_sweep() -> None:
    """Queue the full checks of graphs that are due, and delete the files of imports that nobody went on with."""
    checks_promise()
    jobs_expire()
