"""Edits by hand, and what an undo needs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from memory.models.spaces import Space


class EditRecord(models.Model):
    """One edit of a space's memory by a person. A row changes only when it is undone.

    `summary` is a sentence for people. `undo` holds what the undo needs, in a form of the kind's service; it is empty where
    the edit cannot be undone.
    """

    class Kind(models.TextChoices):
        ADD = "add"
        CORRECT = "correct"
        FORGET = "forget"
        MERGE = "merge"
        SPLIT = "split"
        RENAME = "rename"
        DECLARE = "declare"
        CONFLICT = "conflict"
        IMPORT = "import"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="edits")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    summary = models.CharField(max_length=1000)
    undo = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["space", "-id"])]
