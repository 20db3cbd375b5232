"""How an item stands: what it wants still, what people ended with, and the pattern that sums up who said what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db import transaction

from evaluation.core.annotation.answers import answers_agree
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.patterns import pattern_of
from evaluation.core.annotation.types import Answer
from evaluation.models import Annotation, AnnotationItem, ItemStanding, Settlement


def item_lock(item_id: int) -> AnnotationItem:
    """Lock an item until the caller's transaction ends and return it with its project. Raises `AnnotationItem.DoesNotExist`.

    Others may insert rows that refer to it meanwhile.
    """
    rows = AnnotationItem.objects.select_for_update(no_key=True, of=("self",)).select_related("project")
    return rows.get(pk=item_id)


@transaction.atomic
def item_restand(item: AnnotationItem) -> AnnotationItem:
    """Recompute how an item stands, under a lock on it, and return it."""
    locked = item_lock(item.pk)
    return restand(locked, locked.annotations.filter(undone_at=None).order_by("pk"))


def restand(item: AnnotationItem, labels: Iterable[Annotation]) -> AnnotationItem:
    """Write how a locked item stands, with the labels that count. A gold check and a withdrawn item stay as they are."""
    if item.gold is not None or item.standing == ItemStanding.WITHDRAWN:
        return item
    settled = Settlement.objects.filter(item=item).order_by("-pk").first()
    stand(item, {label.name: label.answer for label in labels}, settled=settled.answer if settled is not None else None)
    item.save(update_fields=["wants", "standing", "final", "pattern"])
    return item


def stand(item: AnnotationItem, people: Mapping[str, Answer], *, settled: Answer | None) -> None:
    """Set how an item stands, without storing it: by the labels that count, and by what settled it, if anything did."""
    kind = kind_named(item.project.kind)
    item.wants, item.final = max(0, item.project.annotators - len(people)), None
    if settled is not None:
        item.standing, item.final, item.wants = ItemStanding.SETTLED, settled, 0
    elif item.wants:
        item.standing = ItemStanding.OPEN
    elif answers_agree(kind, list(people.values())):
        item.standing, item.final = ItemStanding.AGREED, next(iter(people.values()))
    else:
        item.standing = ItemStanding.DISPUTED
    item.pattern = pattern_of(kind, people=people, machine=item.machine, final=item.final)
