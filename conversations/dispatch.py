"""Asks Celery again for workers where a task was lost."""

from datetime import timedelta

from celery import current_app
from django.db import transaction

from conversations.services.queue import REPLY_QUEUE, REPLY_TASK, lost_take

# Whoever looks takes what is next one after the other: that many at once are enough.
BATCH = 32
GRACE = timedelta(seconds=5)


@transaction.atomic
def sweep() -> None:
    """Queue a task for each reply whose worker died or never came, at most once in `GRACE` for each."""
    for _ in range(lost_take(grace=GRACE, limit=BATCH)):
        current_app.send_task(REPLY_TASK, queue=REPLY_QUEUE)
