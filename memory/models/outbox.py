"""Work that was promised in a transaction and is handed to Celery after it."""

from __future__ import annotations

from django.db import models


class OutboxRecord(models.Model):
    """A task to send. Written in the transaction that makes the work necessary, deleted once the broker has it.

    `task` is the registered Celery name, `arguments` its keyword arguments, `queue` where it goes.
    """

    task = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict)
    queue = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)
