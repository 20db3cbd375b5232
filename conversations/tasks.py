"""Celery tasks of conversations: they take ids, fetch and delegate."""

from __future__ import annotations

from celery import shared_task

from conversations.services.generation import reply_run
from conversations.services.messages import REPLY_TASK


@shared_task(name=REPLY_TASK)
def run_reply(reply_id: int) -> None:
    reply_run(reply_id=reply_id)
