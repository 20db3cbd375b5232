"""Who asks decides what there is: another's row is not found, whatever the request says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from rest_framework.exceptions import NotFound, PermissionDenied

from memory.models import Membership, Space

Row = TypeVar("Row")


def found(read: Callable[[], Row]) -> Row:
    """Return what a selector reads, or answer 404 where it finds nothing."""
    try:
        return read()
    except ObjectDoesNotExist as error:
        raise NotFound from error


def require_owner(user: User, space: Space) -> None:
    """Answer 403 to a member of the space who is not an owner of it."""
    if not Membership.objects.filter(user=user, space=space, role=Membership.Role.OWNER).exists():
        raise PermissionDenied("Only an owner of the space may do this.")
