"""Celery tasks of conversations: they delegate."""

from celery import shared_task

from conversations.services.generation import replies_run
from conversations.services.queue import REPLY_TASK


@shared_task(name=REPLY_TASK)
def write_replies() -> int:
    return replies_run()
