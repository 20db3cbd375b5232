"""Lets people take part in the annotation of a space: invitations by link, roles, removal. Labels stay what they are."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluation.core.errors import AnnotationRefused
from evaluation.models import ItemLease, ReviewInvitation, ReviewMember, ReviewRole
from evaluation.selectors.annotation.roles import role_in, role_required
from evaluation.services.annotation.audit import event_add
from memory.adapters.row_security.scope import admit, everything
from memory.models import Membership, Space
from memory.services.spaces import space_lock

INVITED_FOR = timedelta(days=7)
LAST_OWNER = "A team needs an owner. Make somebody else an owner first."
OF_MEMORY = "{name} owns the memory, and so the annotation of it. Change that among the memory's members."


@transaction.atomic
def invitation_make(*, space: Space, role: str, by: User) -> tuple[ReviewInvitation, str]:
    """Return an invitation for one person and its secret, which is kept nowhere. Raises `AnnotationRefused`."""
    role_required(space, by, "own")
    role, secret = role_read(role), secrets.token_urlsafe(32)
    made = ReviewInvitation.objects.create(
        space=space, role=role, digest=digest(secret), made_by=by, expires_at=timezone.now() + INVITED_FOR
    )
    event_add(space=space, project=None, by=by, what="invite", about={"role": role, "invitation": made.pk})
    return made, secret


@transaction.atomic
def invitation_withdraw(*, invitation: ReviewInvitation, by: User) -> None:
    """Let nobody use an invitation any more. One that was used stays as it is."""
    role_required(invitation.space_id, by, "own")
    if ReviewInvitation.objects.filter(pk=invitation.pk, taken_at=None).update(expires_at=timezone.now()):
        event_add(space=invitation.space_id, project=None, by=by, what="uninvite", about={"invitation": invitation.pk})


@transaction.atomic
def invitation_take(*, secret: str, user: User) -> ReviewMember:
    """Give the person the role of an invitation, which is then used up. Raises `AnnotationRefused`.

    Somebody who has a role already keeps it, and the invitation stays good for another person.
    """
    with everything():  # the link alone says which space
        found = ReviewInvitation.objects.select_for_update().filter(digest=digest(secret)).first()
    if found is None:
        raise AnnotationRefused("There is no such invitation. Open the whole link, or ask for a new one.")
    admit(found.space_id)
    space_lock(found.space_id)
    if role_given(found.space_id, user):
        raise AnnotationRefused(
            f"You take part already, as {role_in(found.space_id, user)}. An owner can give you another role."
        )
    if found.taken_at is not None:
        raise AnnotationRefused("This invitation was used already. Ask for a new one.")
    if found.expires_at <= timezone.now():
        raise AnnotationRefused("This invitation has expired. Ask for a new one.")
    found.taken_by, found.taken_at = user, timezone.now()
    found.save(update_fields=["taken_by", "taken_at"])
    member = ReviewMember.objects.create(space_id=found.space_id, user=user, role=found.role)
    event_add(
        space=found.space_id, project=None, by=user, what="join", about={"role": found.role, "invitation": found.pk}
    )
    return member


def role_given(space_id: int, user: User) -> bool:
    """Return whether a person has a role that is more than that of any member of the space."""
    owned = Membership.objects.filter(space=space_id, user=user, role=Membership.Role.OWNER)
    return owned.exists() or ReviewMember.objects.filter(space=space_id, user=user).exists()


@transaction.atomic
def member_change(*, space: Space, user: User, role: str, by: User) -> ReviewMember:
    """Give another role to somebody who takes part. Raises `AnnotationRefused` for the last owner, and for strangers."""
    role_required(space, by, "own")
    role = role_read(role)
    space_lock(space.pk)
    if role_in(space, user) is None:
        raise AnnotationRefused(f"{user.get_username()} does not take part here. Invite them first.")
    refuse_if_fixed(space, user)
    if role != ReviewRole.OWNER:
        refuse_last_owner(space, user)
    member, _ = ReviewMember.objects.update_or_create(space=space, user=user, defaults={"role": role})
    event_add(space=space, project=None, by=by, what="role", about={"who": user.get_username(), "role": role})
    return member


@transaction.atomic
def member_remove(*, space: Space, user: User, by: User) -> None:
    """End somebody's part; what they said stays and is credited, what they were given is free again.

    People may leave themselves. Raises `AnnotationRefused` for the last owner, and for somebody who was given no role.
    """
    if user != by:
        role_required(space, by, "own")
    space_lock(space.pk)
    refuse_if_fixed(space, user)
    refuse_last_owner(space, user)
    if not ReviewMember.objects.filter(space=space, user=user).delete()[0]:
        raise AnnotationRefused(f"{user.get_username()} was given no role here. There is nothing to remove.")
    ItemLease.objects.filter(item__project__space=space, user=user).delete()
    event_add(space=space, project=None, by=by, what="remove", about={"who": user.get_username()})


def refuse_if_fixed(space: Space, user: User) -> None:
    if Membership.objects.filter(space=space, user=user, role=Membership.Role.OWNER).exists():
        raise AnnotationRefused(OF_MEMORY.format(name=user.get_username()))


def refuse_last_owner(space: Space, user: User) -> None:
    """Raise `AnnotationRefused` where the person is an owner and nobody else is one."""
    owners = ReviewMember.objects.filter(space=space, role=ReviewRole.OWNER)
    others = (
        owners.exclude(user=user).exists()
        or Membership.objects.filter(space=space, role=Membership.Role.OWNER).exists()
    )
    if not others and owners.filter(user=user).exists():
        raise AnnotationRefused(LAST_OWNER)


def role_read(role: str) -> ReviewRole:
    if role not in ReviewRole.values:
        raise AnnotationRefused(f"There is no role {role!r}. Roles: {', '.join(ReviewRole.values)}.")
    return ReviewRole(role)


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
