"""Which space a command means."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db.models import Q

from memory.models import Space


def space_named(name: str, *, returncode: int = 1) -> Space:
    """Return the space with this name or id, of any user. Raises `CommandError`."""
    is_meant = Q(name=name) | (Q(pk=int(name)) if name.isascii() and name.isdecimal() and len(name) < 18 else Q())
    found = list(Space.objects.filter(is_meant).order_by("pk")[:2])
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandError(f"{name!r} names several spaces. Give the number of one.", returncode=returncode)
    raise CommandError(f"There is no space {name!r}.", returncode=returncode)
