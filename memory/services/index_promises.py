"""Promises that the indexes of a space will be made whole in the background (`indexing`)."""

from __future__ import annotations

from django.db.models import F

from memory.models import OutboxRecord, Space

INDEX_TASK = "memory.index_space"
INDEX_QUEUE = "maintenance"


def index_promise(space_id: int) -> None:
    """Promise, in the caller's transaction, that what the space's indexes lack will be made; copies of them are outdated."""
    Space.objects.filter(pk=space_id).update(index_revision=F("index_revision") + 1)
    index_later(space_id)


def index_later(space_id: int) -> None:
    """Promise, in the caller's transaction, that what the space's indexes lack will be made."""
    Space.objects.filter(pk=space_id).update(is_indexed=False)
    OutboxRecord.objects.create(task=INDEX_TASK, arguments={"space_id": space_id}, queue=INDEX_QUEUE)
