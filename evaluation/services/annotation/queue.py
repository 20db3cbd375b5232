"""Gives people their next items: those that they hold, a gold check where one is due, then the next that wants a label.

An item is given to at most as many people at once as it wants labels. Everybody goes through a project once, in the order of
its places; at the end the queue begins once more, with what came free and what they skipped.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.crypto import salted_hmac

from evaluation.core.errors import AnnotationRefused
from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    Guideline,
    ItemLease,
    ItemSkip,
    ItemStanding,
    QueuePlace,
)
from evaluation.selectors.annotation.events import is_unblinded
from evaluation.selectors.annotation.items import said_by
from evaluation.selectors.annotation.progress import golds_of
from evaluation.selectors.annotation.projects import guideline_of
from evaluation.selectors.annotation.roles import role_required
from evaluation.services.annotation.audit import event_add
from evaluation.services.annotation.standing import item_lock
from memory.core.plain_text import has_words, storable

BEGINNING = -1.0
MOST_AT_ONCE = 10
REASON_LIMIT = 500


@transaction.atomic
def items_take(*, project: AnnotationProject, user: User, count: int = 2) -> list[ItemLease]:
    """Return leases of the person's next items, those that they hold first, each with its item and guideline.

    What is held already is held anew, so that one resumes where one left off. Raises `AnnotationRefused`, and
    `PermissionDenied` for those who do not label here.
    """
    role_required(project.space_id, user, "label")
    labelling_check(project, user)
    # Locked, so that two pages of one person are not given more than they ask for.
    place, _ = QueuePlace.objects.select_for_update().get_or_create(project=project, user=user)
    guideline = guideline_of(project)
    leases = held_anew(project, user, guideline)[:count]
    before = place.place, place.given
    while len(leases) < min(count, MOST_AT_ONCE):
        item = gold_next(project, user, place) or item_next(project, user, place)
        if item is None:
            break
        place.given += 1
        leases.append(lease_give(item, user, guideline))
    if before != (place.place, place.given):
        place.save(update_fields=["place", "given"])
    for lease in leases:
        lease.item.project = project
    return leases


def labelling_check(project: AnnotationProject, user: User) -> None:
    """Raise `AnnotationRefused` where nobody labels any more, or where this person would not label blind."""
    if project.is_closed:
        raise AnnotationRefused("This project is closed: nobody labels in it any more. A curator can open it again.")
    if is_unblinded(project, user):
        raise AnnotationRefused("You took the labels of this project out, so you cannot label blind any more.")


def lease_give(item: AnnotationItem, user: User, guideline: Guideline) -> ItemLease:
    return ItemLease.objects.create(
        item=item, user=user, guideline=guideline, token=uuid.uuid4(), until=lease_end(item.project)
    )


def lease_end(project: AnnotationProject) -> datetime:
    return timezone.now() + timedelta(minutes=project.lease_minutes)


def held_anew(project: AnnotationProject, user: User, guideline: Guideline) -> list[ItemLease]:
    """Return the person's live leases on open items, prolonged, in the order in which they were given; drop the others."""
    own = list(ItemLease.objects.filter(item__project=project, user=user).select_related("item").order_by("pk"))
    now, until = timezone.now(), lease_end(project)
    held = [lease for lease in own if lease.until > now and lease.item.standing == ItemStanding.OPEN]
    if held:
        ItemLease.objects.filter(pk__in=[lease.pk for lease in held]).update(until=until, guideline=guideline)
    if len(held) < len(own):
        ItemLease.objects.filter(pk__in=[lease.pk for lease in own if lease not in held]).delete()
    for lease in held:
        lease.until, lease.guideline = until, guideline
    return held


def gold_next(project: AnnotationProject, user: User, place: QueuePlace) -> AnnotationItem | None:
    """Return a gold check that the person has not labelled, where one is due; those that they skipped come last."""
    if not is_gold_turn(project, user, place.given):
        return None
    skipped = Exists(ItemSkip.objects.filter(item=OuterRef("pk"), by=user))
    return golds_of(project).filter(untouched_by(user)).order_by(skipped, "place").first()


def is_gold_turn(project: AnnotationProject, user: User, given: int) -> bool:
    """Return whether the next item is a gold check: one in each `gold_every`, at a place that nobody can work out."""
    if not project.gold_every:
        return False
    block, at = divmod(given, project.gold_every)
    drawn = salted_hmac("gold checks of annotation", f"{project.pk} {user.pk} {block}").digest()
    return int.from_bytes(drawn[:8]) % project.gold_every == at


def item_next(project: AnnotationProject, user: User, place: QueuePlace) -> AnnotationItem | None:
    """Lock and return the next item that has a slot for the person, moving their place; None at the end of the queue."""
    found = next_after(project, user, place)
    if found is None and place.place > BEGINNING:
        place.place = BEGINNING
        found = next_after(project, user, place)
    return found


def next_after(project: AnnotationProject, user: User, place: QueuePlace) -> AnnotationItem | None:
    while True:
        ahead = items_free_for(user).filter(project=project, place__gt=place.place).order_by("place")
        found = ahead.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()
        if found is None:
            return None
        place.place = found.place
        # Whoever locked it before may have taken the last slot after the search began.
        if items_free_for(user).filter(pk=found.pk).exists():
            found.project = project
            return found


def items_free_for(user: User) -> QuerySet[AnnotationItem]:
    """Return the open items with a slot for the person: fewer live leases of others than labels wanted, none of their own."""
    live = ItemLease.objects.filter(item=OuterRef("pk"), until__gt=timezone.now()).exclude(user=user)
    taken = live.order_by().values("item").annotate(count=Count("pk")).values("count")
    return AnnotationItem.objects.filter(
        untouched_by(user),
        standing=ItemStanding.OPEN,
        gold__isnull=True,
        wants__gt=Coalesce(Subquery(taken), 0),
    )


def untouched_by(user: User) -> Q:
    """Return the condition on items that the person neither labelled nor holds."""
    labelled = Annotation.objects.filter(said_by(user), item=OuterRef("pk"), undone_at=None)
    held = ItemLease.objects.filter(item=OuterRef("pk"), user=user)
    return Q(~Exists(labelled), ~Exists(held))


@transaction.atomic
def item_skip(*, item: AnnotationItem, user: User, reason: str) -> ItemSkip:
    """Pass over an item with a reason: it comes back at the end of the queue. Raises `AnnotationRefused`."""
    item = item_lock(item.pk)
    role_required(item.project.space_id, user, "label")
    labelling_check(item.project, user)
    if not has_words(reason) or len(reason) > REASON_LIMIT:
        raise AnnotationRefused(f"Say in at most {REASON_LIMIT} characters why you skip this item.")
    if Annotation.objects.filter(said_by(user), item=item, undone_at=None).exists():
        raise AnnotationRefused("You have labelled this item already. Take the answer back instead.")
    ItemLease.objects.filter(item=item, user=user).delete()
    skip, _ = ItemSkip.objects.update_or_create(item=item, by=user, defaults={"reason": storable(reason.strip())})
    event_add(space=item.project.space_id, project=item.project, by=user, what="skip", about={"item": item.pk})
    return skip
