"""Fills a project with items: their content and answers are checked, and each gets its place in the project's order."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.content import content_read
from evaluation.core.annotation.drafts import ItemDraft, ItemRecord
from evaluation.core.annotation.placing import STRATIFIED, places_of
from evaluation.core.annotation.types import Answer, ProjectKind
from evaluation.core.errors import AnnotationRefused
from evaluation.core.naming import KEY_LIMIT, NAME_LIMIT, fitted
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, Guideline, Settlement
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.standing import item_stand
from memory.core.plain_text import all_storable

A_BATCH = 1_000


@transaction.atomic
def items_add(*, project: AnnotationProject, drafts: Sequence[ItemDraft], by: User) -> int:
    """Add items, and return how many; those whose keys are there already are passed over. Raises `AnnotationRefused`."""
    return records_add(project=project, records=map(ItemRecord, drafts), by=by)


@transaction.atomic
def records_add(*, project: AnnotationProject, records: Iterable[ItemRecord], by: User, what: str = "fill") -> int:
    """Add items with the labels and settlements that a file has of them, a batch at a time, all or none."""
    locked = AnnotationProject.objects.select_for_update(no_key=True).get(pk=project.pk)
    if locked.is_closed:
        raise AnnotationRefused(f"The project “{locked.name}” is closed. Open it again to add items.")
    filling = Filling(locked)
    added = sum(filling.add(batch) for batch in batched(records, A_BATCH))
    event_add(space=locked.space, project=locked, by=by, what=what, about={"items": added})
    return added


@dataclass
class Filling:
    """Adds batches of items to a project, and knows how many each stratum has by now."""

    project: AnnotationProject
    begun: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.kind = kind_named(self.project.kind)
        self.guidelines = {one.version: one for one in Guideline.objects.filter(project=self.project)}
        if self.project.order == STRATIFIED:
            strata = AnnotationItem.objects.filter(project=self.project, gold__isnull=True).order_by()
            self.begun.update(dict(strata.values_list("stratum").annotate(count=Count("pk"))))

    def add(self, records: Sequence[ItemRecord]) -> int:
        named = {fitted(record.draft.key, KEY_LIMIT): record for record in reversed(records)}
        keys = list(dict.fromkeys(fitted(record.draft.key, KEY_LIMIT) for record in records))
        known = set(
            AnnotationItem.objects.filter(project=self.project, key__in=keys).values_list("key", flat=True)
        )
        new = [named[key] for key in keys if key not in known]
        drafts = [record.draft for record in new]
        drawn = places_of(drafts, order=self.project.order, seed=self.project.pk, begun=self.begun)
        rows = [
            self.row(record, place if record.place is None else record.place)
            for record, place in zip(new, drawn, strict=True)
        ]
        labels = [label for row, record in zip(rows, new, strict=True) for label in self.labels(row, record)]
        settled = [one for row, record in zip(rows, new, strict=True) for one in self.settlements(row, record)]
        for row, record in zip(rows, new, strict=True):
            mine = [one for one in labels if one.item is row] if record.labels else []
            item_stand(row, project=self.project, labels=mine, settlements=[one for one in settled if one.item is row])
        AnnotationItem.objects.bulk_create(rows)
        Annotation.objects.bulk_create(labels)
        Settlement.objects.bulk_create(settled)
        return len(rows)
