"""Adds and removes members of a space."""

from django.contrib.auth.models import User
from django.db import transaction

from memory.models import ActRecord, Membership, Space
from memory.services.acts import act_record


class MembershipRefused(Exception):
    """Raised where members cannot be changed so. The message is a sentence for the person who asked."""


def space_rename(*, space: Space, name: str) -> None:
    space.name = name.strip()[:120] or space.name
    space.save(update_fields=["name"])


@transaction.atomic
def member_add(*, space: Space, user: User) -> Membership:
    """Give a user read and write access to the space. A second call changes nothing."""
    membership, is_new = Membership.objects.get_or_create(space=space, user=user)
    if is_new:
        act_record(kind=ActRecord.Kind.MEMBER_ADDED, space=space, subject=user)
    return membership


@transaction.atomic
def member_remove(*, membership: Membership) -> None:
    """Remove a member's access; what the member said stays, the engines that they added are not offered any more.

    Raises `MembershipRefused` for the last owner.
    """
    Space.objects.select_for_update().only("pk").get(pk=membership.space_id)
    owners = Membership.objects.filter(space_id=membership.space_id, role=Membership.Role.OWNER)
    if not owners.exclude(pk=membership.pk).exists():
        raise MembershipRefused("A memory needs an owner. Forget it instead, or make somebody else an owner first.")
    withdrawn = membership.space.engines.filter(added_by=membership.user_id, is_shared=False)
    membership.space.engines.remove(*withdrawn)
    act_record(kind=ActRecord.Kind.MEMBER_REMOVED, space=membership.space_id, subject=membership.user_id)
    membership.delete()
