"""Imports that a worker carries out: what was asked for, how far it is, and the file until it is brought in."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models

from memory.models.spaces import Space

KEPT = timedelta(days=14)


class ImportJobRecord(models.Model):
    """One file that is brought into a space in the background.

    `form` is the file's format where it is known, `choices` what is to be done with it, and `preview` what is in it, where it
    is read before somebody chooses. `progress` is the share that is done, told at `progressed_at`. `outcome` is the
    sentence that says what was brought in; `error` why nothing more was. `takings` counts the workers that began with it and
    have not told how it ended.
    """

    class Kind(models.TextChoices):
        GRAPH = "graph"
        CHATS = "chats"

    class State(models.TextChoices):
        READING = "reading"
        READY = "ready"
        IMPORTING = "importing"
        DONE = "done"
        STOPPED = "stopped"
        FAILED = "failed"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="import_jobs")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=300)
    form = models.CharField(max_length=20, blank=True)
    state = models.CharField(max_length=10, choices=State.choices)
    choices = models.JSONField(default=dict)
    preview = models.JSONField(default=dict)
    progress = models.FloatField(default=0)
    progressed_at = models.DateTimeField(auto_now_add=True)
    outcome = models.TextField(blank=True)
    error = models.TextField(blank=True)
    takings = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-id"], name="import_job_of_space")]

    @property
    def is_working(self) -> bool:
        return self.state in (self.State.READING, self.State.IMPORTING)

    @property
    def is_stopping(self) -> bool:
        """Whether a worker has not told yet what it had brought in when the job was stopped."""
        return self.state == self.State.STOPPED and self.takings > 0

    @property
    def is_over(self) -> bool:
        return self.state in (self.State.DONE, self.State.STOPPED, self.State.FAILED)

    @property
    def kept_until(self) -> datetime | None:
        """When the file is deleted unless somebody chooses from it or goes on; None for one that is worked on or done."""
        return None if self.is_working or self.state == self.State.DONE else self.progressed_at + KEPT

    @property
    def share(self) -> int:
        """The progress in whole percent."""
        return round(self.progress * 100)


class ImportPieceRecord(models.Model):
    """A piece of a job's file, in order of `number`."""

    job = models.ForeignKey(ImportJobRecord, on_delete=models.CASCADE, db_index=False, related_name="pieces")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="import_piece_once_a_job")]
