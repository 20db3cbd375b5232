"""Making spaces, and writing their memory one at a time."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from memory.models import Membership, Space


def space_lock(space_id: int) -> Space:
    """Make the caller's transaction the only writer of the space's memory, and return the space with its lease.

    The lock lets others refer to the space, so that somebody may write a message meanwhile: a lock of the whole row would
    hold their commit up, while this transaction may wait for rows of theirs. Raises `Space.DoesNotExist`.
    """
    return Space.objects.select_for_update(no_key=True).only("maintenance_token").get(pk=space_id)


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
