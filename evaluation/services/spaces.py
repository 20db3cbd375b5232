"""Temporary spaces of measurements: they belong to an account of their own and are deleted afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from evaluation.models import RunCase, RunState
from memory.adapters.row_security.scope import spaces
from memory.models import Membership, Space
from memory.services import space_create, space_forget

ACCOUNT = "evaluation"
KILLED_AFTER = timedelta(days=1)


@contextmanager
def temporary_space(*, title: str) -> Iterator[Space]:
    """Create an empty space and delete it at the end of the block, also after an error. The block sees no other space."""
    space = scratch_create(title=title)
    with spaces(space.pk):
        try:
            yield space
        finally:
            space_forget(space=space)


def scratch_create(*, title: str, like: Space | None = None) -> Space:
    """Create an empty space that `space_leave` has to end, in which the engines may be chosen that `like` has."""
    space = space_create(name=f"{title[:80]} {uuid.uuid4()}", owner=evaluation_account())
    Space.objects.filter(pk=space.pk).update(turn_limit=0, byte_limit=0, import_limit=0)
    if like is not None:
        space.engines.set(like.engines.all())
    return space


def space_leave(*, space: Space, to: User | None) -> None:
    """Make a temporary space a person's own, or delete it where there is none.

    Engines that others added for themselves are not offered in it any more.
    """
    if to is None:
        space_forget(space=space)
        return
    with transaction.atomic():
        Space.objects.filter(pk=space.pk).update(turn_limit=None, byte_limit=None, import_limit=None)
        space.engines.remove(*space.engines.filter(is_shared=False).exclude(added_by=to))
        Membership.objects.get_or_create(space=space, user=to, defaults={"role": Membership.Role.OWNER})
        Membership.objects.filter(space=space, user=evaluation_account()).delete()


def evaluation_account() -> User:
    """Return the account that owns temporary spaces. Nobody can sign in with it."""
    account, is_new = User.objects.get_or_create(username=ACCOUNT, defaults={"is_active": False})
    if is_new:
        account.set_unusable_password()
        account.save(update_fields=["password"])
    return account


def abandoned_spaces_forget() -> int:
    """Delete temporary spaces that a killed measurement left a day ago or earlier; return their number.

    Those of runs that may go on are not abandoned.
    """
    played = RunCase.objects.filter(scratch=OuterRef("pk")).exclude(run__state=RunState.DONE)
    abandoned = Space.objects.filter(
        ~Exists(played),
        memberships__user__username=ACCOUNT,
        memberships__user__is_active=False,
        created_at__lt=timezone.now() - KILLED_AFTER,
    )
    spaces = list(abandoned)
    for space in spaces:
        space_forget(space=space)
    return len(spaces)
