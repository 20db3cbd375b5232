"""Fills a project with items: what each shows is checked, and each gets its place in the project's order."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.drafts import STRATIFIED, ItemDraft, ItemRecord, places_of, record_read
from evaluation.core.errors import AnnotationRefused, MalformedAnnotation
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, Guideline, ItemStanding, Settlement
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.standing import stand

A_BATCH = 1_000


def items_add(*, project: AnnotationProject, drafts: Sequence[ItemDraft], by: User) -> int:
    """Add items, and return how many; those whose keys are there already are passed over.

    Raises `AnnotationRefused` that names the item, and then adds none.
    """
    return records_add(project=project, records=map(ItemRecord, drafts), by=by)


@transaction.atomic
def records_add(*, project: AnnotationProject, records: Iterable[ItemRecord], by: User, what: str = "fill") -> int:
    """Add items with their labels and settlements, and return how many; all or none.

    Raises `MalformedAnnotation` that names the place in a file, else `AnnotationRefused`.
    """
    role_required(project.space_id, by, "curate")
    locked = AnnotationProject.objects.select_for_update(no_key=True).get(pk=project.pk)
    if locked.is_closed:
        raise AnnotationRefused(f"The project “{locked.name}” is closed. Open it again to add items.")
    kind = kind_named(locked.kind)
    filling, added, rest = Filling(locked), 0, each_once(record_read(kind, record) for record in records)
    while batch := list(islice(rest, A_BATCH)):
        added += filling.add(batch)
    event_add(space=locked.space_id, project=locked, by=by, what=what, about={"items": added})
    return added


def each_once(records: Iterable[ItemRecord]) -> Iterator[ItemRecord]:
    """Yield the first record of each key. Raises `MalformedAnnotation` for the second one of a file, naming both places."""
    known: dict[str, str] = {}
    for record in records:
        key, where = record.draft.key, record.where
        if key not in known:
            known[key] = where
            yield record
        elif where:
            raise MalformedAnnotation(f"{where}: {known[key]} has the key {key!r} already. Give each item its own key.")


class Filling:
    """Adds batches to a locked project, and knows how many items each stratum has by now."""

    def __init__(self, project: AnnotationProject) -> None:
        self._project = project
        self._guidelines = {one.version: one for one in Guideline.objects.filter(project=project)}
        self._begun: Counter[str] = Counter()
        if project.order == STRATIFIED:
            rows = AnnotationItem.objects.filter(project=project).order_by().values("stratum")
            self._begun.update({row["stratum"]: row["count"] for row in rows.annotate(count=Count("pk"))})

    def add(self, records: Sequence[ItemRecord]) -> int:
        keys = [record.draft.key for record in records]
        known = {*AnnotationItem.objects.filter(project=self._project, key__in=keys).values_list("key", flat=True)}
        new = [record for record in records if record.draft.key not in known]
        drawn = places_of(
            [one.draft for one in new], order=self._project.order, seed=self._project.pk, begun=self._begun
        )
        rows = [self._item(one, place) for one, place in zip(new, drawn, strict=True)]
        AnnotationItem.objects.bulk_create(rows)
        both = list(zip(rows, new, strict=True))
        Annotation.objects.bulk_create(label for row, one in both for label in self._labels(row, one))
        Settlement.objects.bulk_create(settled for row, one in both for settled in self._settlements(row, one))
        return len(rows)

    def _item(self, record: ItemRecord, place: float) -> AnnotationItem:
        draft = record.draft
        item = AnnotationItem(
            project=self._project,
            place=place if record.place is None else record.place,
            key=draft.key,
            dataset=draft.dataset,
            stratum=draft.stratum,
            cluster=draft.cluster,
            content=draft.content,
            machine=draft.machine,
            machine_by=draft.machine_by,
            gold=draft.gold,
            wants=self._project.annotators,
            source=draft.source,
            run_item_id=draft.run_item,
            turn_id=draft.turn,
            before_id=draft.before,
            fact_id=draft.fact,
            conflict_id=draft.conflict,
        )
        if draft.gold is None:
            live = {one.name: one.answer for one in record.labels if one.undone_at is None}
            stand(item, live, settled=record.settlements[-1].answer if record.settlements else None)
        if record.withdrawn is not None:
            item.standing, item.why, item.wants = ItemStanding.WITHDRAWN, record.withdrawn, 0
        return item

    def _labels(self, item: AnnotationItem, record: ItemRecord) -> Iterable[Annotation]:
        for one in record.labels:
            made = Annotation(
                item=item,
                name=one.name,
                guideline=self._guideline(one.guideline),
                answer=one.answer,
                comment=one.comment,
                milliseconds=one.milliseconds,
                sent_as=uuid.uuid4(),
                undone_at=one.undone_at,
            )
            made.created_at = one.at or made.created_at
            yield made

    def _guideline(self, version: int) -> Guideline:
        """Return a version of the guideline; one that only a table of labels names has the text of the latest before it."""
        for missing in (one for one in range(2, version + 1) if one not in self._guidelines):
            text = self._guidelines[missing - 1].text
            self._guidelines[missing] = Guideline.objects.create(project=self._project, version=missing, text=text)
        return self._guidelines[version]

    def _settlements(self, item: AnnotationItem, record: ItemRecord) -> Iterable[Settlement]:
        for one in record.settlements:
            made = Settlement(item=item, name=one.name, answer=one.answer, reason=one.reason)
            made.created_at = one.at or made.created_at
            yield made
