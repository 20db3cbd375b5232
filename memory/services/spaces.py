"""Making spaces."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from memory.models import Membership, Space


@transaction.atomic
def space_create(*, name: str, owner: User) -> Space:
    """Return a new space that `owner` owns."""
    space = Space.objects.create(name=name.strip()[:120] or "Memory")
    Membership.objects.create(space=space, user=owner, role=Membership.Role.OWNER)
    return space


@transaction.atomic
def space_personal(*, user: User) -> Space:
    """Return the user's own space, made at the first call. The user's row is locked, so that two calls make one."""
    User.objects.select_for_update().get(pk=user.pk)
    owned = (
        Membership.objects.filter(user=user, role=Membership.Role.OWNER).select_related("space").order_by("id").first()
    )
    if owned is not None:
        return owned.space
    return space_create(name="My memory", owner=user)
