"""Finding replies that nobody is writing and handing them to Celery again."""

from __future__ import annotations

from datetime import timedelta

from celery import current_app
from django.db.models import Q
from django.utils import timezone

from conversations.models import Reply, ReplyState
from conversations.services.messages import REPLY_QUEUE, REPLY_TASK

BATCH = 500
GRACE = timedelta(seconds=5)


def sweep() -> None:
    """Ask again for replies whose worker died and for those that wait though their task should long have come."""
    now = timezone.now()
    orphaned = Q(state=ReplyState.RUNNING, lease_until__lt=now)
    forgotten = Q(state=ReplyState.QUEUED, created_at__lt=now - GRACE)
    for reply_id in Reply.objects.filter(orphaned | forgotten).order_by("id").values_list("id", flat=True)[:BATCH]:
        current_app.send_task(REPLY_TASK, kwargs={"reply_id": reply_id}, queue=REPLY_QUEUE)
