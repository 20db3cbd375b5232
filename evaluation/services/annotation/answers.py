"""Stores what people say of items, and takes it back as long as they cannot know what others say."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, ItemLease, ItemSkip, ItemStanding, Settlement
from evaluation.selectors.annotation.progress import UNDO_WITHIN
from evaluation.selectors.annotation.projects import guideline_of
from evaluation.selectors.annotation.roles import may, role_required
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.queue import labelling_check, lease_give
from evaluation.services.annotation.standing import item_lock, restand
from memory.core.plain_text import storable

COMMENT_LIMIT = 2_000
MOST_MILLISECONDS = 24 * 60 * 60 * 1000
NUMBERS = {1: "A colleague has", 2: "Two colleagues have", 3: "Three colleagues have"}


@transaction.atomic
def answer_store(
    *,
    item: AnnotationItem,
    user: User,
    answer: object,
    sent_as: UUID,
    token: UUID | None = None,
    comment: str = "",
    milliseconds: int | None = None,
) -> Annotation:
    """Store a person's answer and return it; an answer that was sent before is returned as it was stored.

    It counts under the guideline that came with the lease of that token. Without a live lease it is taken as long as the item
    wants a label that is promised to nobody else. Raises `AnnotationRefused`, `PermissionDenied`, and
    `AnnotationItem.DoesNotExist` where the item is gone.
    """
    item = item_lock(item.pk)
    project = item.project
    role_required(project.space_id, user, "label")
    said = list(Annotation.objects.filter(item=item).order_by("pk"))
    stored = next((one for one in said if one.sent_as == sent_as and one.by_id == user.pk), None)
    if stored is not None:
        return stored
    labelling_check(project, user)
    given = answer_read(kind_named(project.kind), answer)
    comment = storable(comment.strip())
    if len(comment) > COMMENT_LIMIT:
        raise AnnotationRefused(f"The comment has more than {COMMENT_LIMIT} characters. Shorten it.")
    labels = [one for one in said if one.undone_at is None]
    leases = list(ItemLease.objects.filter(item=item).select_related("guideline"))
    slot_check(item, user, labels, leases)
    mine = next((one for one in leases if one.user_id == user.pk), None)
    is_lease = mine is not None and (token is None or mine.token == token)
    try:
        with transaction.atomic():
            label = Annotation.objects.create(
                item=item,
                by=user,
                name=user.get_username(),
                guideline=mine.guideline if is_lease and mine is not None else guideline_of(project),
                answer=given,
                comment=comment,
                milliseconds=None if milliseconds is None else min(max(0, milliseconds), MOST_MILLISECONDS),
                sent_as=sent_as,
            )
    except IntegrityError as error:
        raise AnnotationRefused(
            "This answer was sent for another item already. Reload the page and try again."
        ) from error
    restand(item, [*labels, label])
    ItemLease.objects.filter(item=item, user=user).delete()
    ItemSkip.objects.filter(item=item, by=user).delete()
    event_add(
        space=project.space_id, project=project, by=user, what="label", about={"item": item.pk, "answer": label.pk}
    )
    return label


def slot_check(item: AnnotationItem, user: User, labels: list[Annotation], leases: list[ItemLease]) -> None:
    """Raise `AnnotationRefused` where the item takes no label of this person."""
    if item.standing == ItemStanding.WITHDRAWN:
        raise AnnotationRefused(f"This item was withdrawn meanwhile ({item.why}). Your answer was not needed.")
    if any(user.pk == one.by_id or user.get_username() == one.name for one in labels):
        raise AnnotationRefused("There is an answer of yours to this item already. Take it back to answer anew.")
    if item.gold is not None:
        return
    if item.standing != ItemStanding.OPEN:
        who = NUMBERS.get(len(labels), f"{len(labels)} colleagues have")
        raise AnnotationRefused(f"{who} labelled this item meanwhile. Your answer was not needed.")
    now = timezone.now()
    if item.wants <= sum(one.until > now for one in leases if one.user_id != user.pk):
        raise AnnotationRefused(
            "Your time for this item ran out, and a colleague has it now. Your answer was not needed."
        )


@transaction.atomic
def answer_undo(*, annotation: Annotation, user: User) -> ItemLease:
    """Take one's own answer back and return the item's new lease. Raises `AnnotationRefused`.

    An answer stays when it is old, settled, or when its author may have seen what others or the machine say.
    """
    item = item_lock(annotation.item_id)
    project = item.project
    role = role_required(project.space_id, user, "label")
    label = Annotation.objects.get(pk=annotation.pk)
    if label.by_id != user.pk:
        raise Annotation.DoesNotExist
    labelling_check(project, user)
    labels = list(Annotation.objects.filter(item=item, undone_at=None).order_by("pk"))
    if label.undone_at is not None:
        raise AnnotationRefused("This answer was taken back already.")
    if label.created_at < timezone.now() - UNDO_WITHIN:
        raise AnnotationRefused("An answer can be taken back for ten minutes. It stays as it is.")
    if item.standing == ItemStanding.WITHDRAWN:
        raise AnnotationRefused("This item was withdrawn meanwhile. There is nothing to answer any more.")
    if Settlement.objects.filter(item=item).exists():
        raise AnnotationRefused("This item is settled. Your answer stays as it is.")
    is_shown = item.standing != ItemStanding.OPEN and (len(labels) > 1 or item.machine is not None)
    if label.revealed_at is not None or (is_shown and may(role, "read")):
        raise AnnotationRefused("You may have seen what others said of this item, so your answer stays as it is.")
    label.undone_at = timezone.now()
    label.save(update_fields=["undone_at"])
    restand(item, [one for one in labels if one.pk != label.pk])
    ItemLease.objects.filter(item=item, user=user).delete()
    event_add(
        space=project.space_id, project=project, by=user, what="undo", about={"item": item.pk, "answer": label.pk}
    )
    return lease_give(item, user, guideline_of(project))


def answer_reveal(*, annotation: Annotation) -> None:
    """Note that its author is shown what others and the machine say, from when on the answer cannot be taken back."""
    Annotation.objects.filter(pk=annotation.pk, revealed_at=None).update(revealed_at=timezone.now())
