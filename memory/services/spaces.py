"""Creates spaces, and locks them so that one transaction at a time writes a space's memory."""

from django.contrib.auth.models import User
from django.db import transaction

from memory.adapters.row_security.scope import admit, everything
from memory.models import Membership, Space


def space_lock(space_id: int) -> Space:
    """Lock the space's row until the caller's transaction ends, and return it with its lease.

    The lock allows others to insert rows that refer to the space (`FOR NO KEY UPDATE`), so a message can be sent meanwhile: a
    full lock would block that insert, while this transaction may wait for rows of theirs. Raises `Space.DoesNotExist`.
    """
    return Space.objects.select_for_update(no_key=True).only("maintenance_token").get(pk=space_id)


@transaction.atomic
def space_create(*, name: str, owner: User) -> Space:
    """Create a space that `owner` owns, and return it. The caller's context sees it from then on."""
    with everything():
        space = Space.objects.create(name=name.strip()[:120] or "Memory")
        Membership.objects.create(space=space, user=owner, role=Membership.Role.OWNER)
    admit(space.pk)
    return space


@transaction.atomic
def space_personal(*, user: User) -> Space:
    """Return the user's own space; the first call makes it. The user's row is locked, so concurrent calls make one."""
    User.objects.select_for_update().get(pk=user.pk)
    owned = (
        Membership.objects.filter(user=user, role=Membership.Role.OWNER).select_related("space").order_by("id").first()
    )
    if owned is not None:
        return owned.space
    return space_create(name="My memory", owner=user)
