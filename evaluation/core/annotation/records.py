"""Items with what a file says that people said of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from evaluation.core.annotation.drafts import ItemDraft, draft_read
from evaluation.core.annotation.types import Answer, ProjectKind
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation


@dataclass(frozen=True)
class GivenLabel:
    """A label of a file: who gave it, under which version of the guideline, and when. One that was taken back says when."""

    name: str
    answer: Answer
    guideline: int = 1
    comment: str = ""
    milliseconds: int | None = None
    at: datetime | None = None
    undone_at: datetime | None = None


@dataclass(frozen=True)
class GivenSettlement:
    name: str
    answer: Answer
    reason: str
    at: datetime | None = None


@dataclass(frozen=True)
class ItemRecord:
    """An item with its labels and settlements, in the order in which they were given.

    `place` is kept where it has one; `withdrawn` says why it counts nowhere, None where it does. `where` is its place in a
    file.
    """

    draft: ItemDraft
    place: float | None = None
    labels: tuple[GivenLabel, ...] = ()
    settlements: tuple[GivenSettlement, ...] = ()
    withdrawn: str | None = None
    where: str = ""


def record_read(kind: ProjectKind, record: ItemRecord) -> ItemRecord:
    """Return the record with its draft as it is stored. What is raised names its place in a file, or its key."""
    try:
        return replace(record, draft=draft_read(kind, record.draft))
    except AnnotationRefused as error:
        if record.where:
            raise MalformedAnnotation(f"{record.where}: {error}") from error
        raise AnnotationRefused(f"Item {record.draft.key!r}: {error}") from error
