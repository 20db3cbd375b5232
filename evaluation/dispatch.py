"""Listens to memory's signals and hands lost work to Celery again."""

from __future__ import annotations

from datetime import timedelta

from celery import current_app
from django.dispatch import receiver
from django.utils import timezone

from evaluation.services.score_promises import SCORE_QUEUE, SCORE_TASK, scores_promise
from evaluation.services.scores import unclaimed
from memory import events

GRACE = timedelta(seconds=5)


@receiver(events.round_ended, dispatch_uid="promise scores of an ended round")
def promise_scores(round_id: int, **signal: object) -> None:
    """Queue the scores in the transaction that ends the round."""
    scores_promise(round_id=round_id)


def sweep() -> None:
    """Queue the task again for scores whose task or worker was lost."""
    if unclaimed().filter(created_at__lt=timezone.now() - GRACE).exists():
        current_app.send_task(SCORE_TASK, queue=SCORE_QUEUE)
