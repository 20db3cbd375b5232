"""Reads of invitations: those that wait for a person, and those that an owner sees wait."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from memory.models import Space, SpaceInvitation


def invitations_for(user: User) -> QuerySet[SpaceInvitation]:
    """Return what waits for a person, who is a member of none of the spaces yet: read it within `everything`."""
    waiting = SpaceInvitation.objects.filter(
        username=user.get_username(), expires_at__gt=timezone.now(), declined_at=None
    )
    return waiting.select_related("space", "made_by").order_by("pk")


def invitations_of(space: Space) -> QuerySet[SpaceInvitation]:
    """Return what an owner sees wait: a declined invitation waits as one for a name that nobody has."""
    return space.invitations.filter(expires_at__gt=timezone.now()).order_by("pk")
