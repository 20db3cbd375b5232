"""Reads items as far as a person may see them: blind until their own label is stored, anonymous until nobody disputes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from evaluation.models import (
    Annotation,
    AnnotationItem,
    AnnotationProject,
    ItemSkip,
    ItemStanding,
    ReviewRole,
    Settlement,
)
from evaluation.selectors.annotation.roles import may

# A list, which an index of standings serves; that something is not open, none does.
ENDED = [one for one in ItemStanding if one != ItemStanding.OPEN]
NAMED = (ItemStanding.AGREED, ItemStanding.SETTLED)


@dataclass(frozen=True)
class Side:
    """What somebody said of an item; without a name where sides are anonymous."""

    answer: Any
    comment: str
    name: str = ""


@dataclass(frozen=True)
class ItemSeen:
    """What a person may know of an item beside its content. `is_open_to` is false where they may know nothing yet."""

    is_open_to: bool = False
    own: Annotation | None = None
    sides: tuple[Side, ...] = ()
    machine: Any = None
    machine_by: str = ""
    gold: Any = None
    final: Any = None
    settlements: tuple[Settlement, ...] = ()


def item_seen(item: AnnotationItem, user: User, role: ReviewRole | None) -> ItemSeen:
    """Return what a person may know: what others say once their own label is stored, and results of an item that ended."""
    labels = list(Annotation.objects.filter(item=item, undone_at=None).order_by("pk"))
    own = next((label for label in labels if label.by_id == user.pk), None)
    is_result = item.standing != ItemStanding.OPEN and may(role, "read")
    if own is None and not is_result:
        return ItemSeen()
    others = [label for label in labels if label != own]
    return ItemSeen(
        is_open_to=True,
        own=own,
        sides=sides_of(item, others, is_named=item.standing in NAMED and may(role, "read")),
        machine=item.machine,
        machine_by=item.machine_by,
        gold=item.gold,
        final=item.final,
        settlements=tuple(settlements_marked().filter(item=item)) if item.final is not None else (),
    )


def sides_of(item: AnnotationItem, labels: Sequence[Annotation], *, is_named: bool = False) -> tuple[Side, ...]:
    """Return what people said of an item in an order that tells nothing of who, or of who was first."""

    def drawn(label: Annotation) -> bytes:
        return hashlib.sha256(f"{item.pk} {label.pk} {label.sent_as}".encode()).digest()

    return tuple(
        Side(label.answer, label.comment, label.name if is_named else "") for label in sorted(labels, key=drawn)
    )


def said_by(user: User) -> Q:
    """Return the condition on labels of a person, those under their name too that a file brought in."""
    return Q(by=user) | Q(name=user.get_username())


def labelled_by(user: User) -> Exists:
    """Return the condition on items that a person labelled, also where they took it back."""
    return Exists(Annotation.objects.filter(said_by(user), item=OuterRef("pk")))


def settled_by(user: User) -> Q:
    """Return the condition on items that a person who curates may settle: those that they did not label.

    Owners may settle what they labelled too, where everybody else who curates in the team labelled it as well.
    """
    owner = curating(OuterRef("project__space"), [ReviewRole.OWNER]).filter(pk=user.pk)
    label = Annotation.objects.filter(
        Q(by=OuterRef("pk")) | Q(name=OuterRef("username")), item=OuterRef(OuterRef("pk"))
    )
    others = curating(OuterRef("project__space"), [ReviewRole.OWNER, ReviewRole.CURATOR]).exclude(pk=user.pk)
    return Q(~labelled_by(user)) | Q(Exists(owner), ~Exists(others.filter(~Exists(label))))


def curating(space: OuterRef, roles: Sequence[ReviewRole]) -> QuerySet[User]:
    """Return the people with one of the roles in the annotation of a space, the members of it with them."""
    own = Q(memberships__space=space, memberships__role__in=roles)
    given = Q(review_memberships__space=space, review_memberships__role__in=roles)
    return User.objects.filter(own | given, is_active=True)


def settlements_marked() -> QuerySet[Settlement]:
    """Return settlements with `is_own`: whether who settled the item had labelled it, too."""
    own = Annotation.objects.filter(Q(by=OuterRef("by")) | Q(name=OuterRef("name")), item=OuterRef("item"))
    return Settlement.objects.annotate(is_own=Exists(own)).order_by("pk")


def disputes_of(project: AnnotationProject, user: User) -> QuerySet[AnnotationItem]:
    """Return the disputed items that a person may settle, in order, each with the labels that count as `live`."""
    live = Prefetch("annotations", Annotation.objects.filter(undone_at=None).order_by("pk"), to_attr="live")
    disputed = AnnotationItem.objects.filter(settled_by(user), project=project, standing=ItemStanding.DISPUTED)
    return disputed.order_by("place", "pk").prefetch_related(live)


def skips_of(project: AnnotationProject) -> QuerySet[ItemSkip]:
    """Return why people passed over open items that they have not labelled since, the newest first."""
    since = Annotation.objects.filter(item=OuterRef("item"), by=OuterRef("by"), undone_at=None)
    skips = ItemSkip.objects.filter(~Exists(since), item__project=project, item__standing=ItemStanding.OPEN)
    return skips.select_related("item", "by").order_by("-pk")


def results_of(project: AnnotationProject) -> QuerySet[AnnotationItem]:
    """Return the items of which results may be told: those that are not open."""
    return AnnotationItem.objects.filter(project=project, standing__in=ENDED).order_by("place", "pk")
