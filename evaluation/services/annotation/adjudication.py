"""Settles what people disagree about, with a reason that is kept, and withdraws items that should not count."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, ItemLease, ItemStanding, Settlement
from evaluation.selectors.annotation.items import settled_by, settlements_marked
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.standing import item_lock, restand
from memory.core.plain_text import has_words, storable

REASON_LIMIT = 2_000


@transaction.atomic
def item_settle(*, item: AnnotationItem, by: User, answer: object, reason: str, again: bool = False) -> Settlement:
    """Settle a disputed item, or with `again` one that is settled, and return that with its mark `is_own`.

    Raises `AnnotationRefused` without a reason, for who labelled it while somebody else is left to settle it, and where a
    colleague settled it meanwhile.
    """
    item = item_lock(item.pk)
    role_required(item.project.space_id, by, "curate")
    given, reason = answer_read(kind_named(item.project.kind), answer), reason_read(reason)
    if item.standing not in (ItemStanding.DISPUTED, ItemStanding.SETTLED):
        raise AnnotationRefused("People do not disagree about this item. There is nothing to settle.")
    if item.standing == ItemStanding.SETTLED and not again:
        last = Settlement.objects.filter(item=item).latest("pk")
        raise AnnotationRefused(
            f"A colleague settled this item meanwhile: “{last.reason}” Settle it once more if you think otherwise."
        )
    if not AnnotationItem.objects.filter(settled_by(by), pk=item.pk).exists():
        raise AnnotationRefused("You labelled this item yourself. Let somebody settle it who did not.")
    made = Settlement.objects.create(item=item, by=by, name=by.get_username(), answer=given, reason=reason)
    restand(item, Annotation.objects.filter(item=item, undone_at=None).order_by("pk"))
    event_add(
        space=item.project.space_id,
        project=item.project,
        by=by,
        what="settle",
        about={"item": item.pk, "settlement": made.pk},
    )
    return settlements_marked().get(pk=made.pk)


@transaction.atomic
def item_withdraw(*, item: AnnotationItem, by: User, why: str) -> AnnotationItem:
    """Let an item count nowhere any more; what was said of it stays. Raises `AnnotationRefused` without a reason."""
    item = item_lock(item.pk)
    role_required(item.project.space_id, by, "curate")
    why = reason_read(why)
    if item.standing == ItemStanding.WITHDRAWN:
        raise AnnotationRefused("This item is withdrawn already.")
    item.standing, item.why, item.wants = ItemStanding.WITHDRAWN, why, 0
    item.save(update_fields=["standing", "why", "wants"])
    ItemLease.objects.filter(item=item).delete()
    event_add(space=item.project.space_id, project=item.project, by=by, what="withdraw", about={"item": item.pk})
    return item


def reason_read(reason: str) -> str:
    reason = storable(reason.strip())
    if not has_words(reason) or len(reason) > REASON_LIMIT:
        raise AnnotationRefused(f"Say in at most {REASON_LIMIT} characters why, so that others can follow you.")
    return reason
