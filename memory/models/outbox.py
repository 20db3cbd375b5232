"""Tasks that a transaction requests, sent to Celery after its commit."""

from __future__ import annotations

from django.db import models


class OutboxRecord(models.Model):
    """A task to send: inserted in the transaction that makes it necessary, deleted once the broker has it.

    `task` is the registered Celery name, `arguments` its keyword arguments, `queue` the queue.
    """

    task = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    queue = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)
