"""Invites, adds and removes members of a space. An invitation tells nobody which accounts there are."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from memory.adapters.row_security.scope import everything
from memory.models import ActRecord, ImportJobRecord, Membership, Space, SpaceInvitation
from memory.selectors.owned import invitations_for
from memory.services.acts import act_record
from memory.services.spaces import space_lock

INVITED_FOR = timedelta(days=14)
WAITING = 100


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
def member_invite(*, space: Space, username: str, by: User) -> SpaceInvitation:
    """Let an invitation wait for whoever has this name; no account is looked up, so all names take the same way.

    A second call prolongs it. Raises `MembershipRefused` for a member, and where too many wait.
    """
    space_lock(space.pk)
    if space.memberships.filter(user__username=username).exists():
        raise MembershipRefused(f"{username} is a member already.")
    if space.invitations.exclude(username=username).filter(expires_at__gt=timezone.now()).count() >= WAITING:
        raise MembershipRefused(f"{WAITING} invitations wait already. Withdraw one of them first.")
    invited, _ = SpaceInvitation.objects.update_or_create(
        space=space, username=username, defaults={"made_by": by, "expires_at": timezone.now() + INVITED_FOR}
    )
    act_record(kind=ActRecord.Kind.INVITED, space=space, by=by, words=username)
    return invited


def invitation_withdraw(*, space: Space, invitation_id: int) -> None:
    """Delete an invitation. Raises `SpaceInvitation.DoesNotExist` for one of another space."""
    space.invitations.get(pk=invitation_id).delete()


# Who is invited is no member yet, so their own scope holds neither the invitation nor its space.
@everything()
@transaction.atomic
def invitation_take(*, invitation_id: int, user: User) -> Membership:
    """Make the invited person a member and use the invitation up. Raises `SpaceInvitation.DoesNotExist` for another's."""
    invited = invitations_for(user).select_for_update(of=("self",)).get(pk=invitation_id)
    invited.delete()
    return member_add(space=invited.space, user=user)


@everything()
def invitation_decline(*, invitation_id: int, user: User) -> None:
    """Show an invitation to its person no more; who invited sees it wait until it runs out, as for a name without account."""
    invited = invitations_for(user).get(pk=invitation_id)
    invited.declined_at = timezone.now()
    invited.save(update_fields=["declined_at"])


@transaction.atomic
def member_remove(*, membership: Membership) -> None:
    """Remove a member's access; what the member said stays, the engines that they added are not offered any more.

    Their imports end, and their files go with them.

    Raises `MembershipRefused` for the last owner.
    """
    Space.objects.select_for_update().only("pk").get(pk=membership.space_id)
    owners = Membership.objects.filter(space_id=membership.space_id, role=Membership.Role.OWNER)
    if not owners.exclude(pk=membership.pk).exists():
        raise MembershipRefused("A memory needs an owner. Forget it instead, or make somebody else an owner first.")
    withdrawn = membership.space.engines.filter(added_by=membership.user_id, is_shared=False)
    membership.space.engines.remove(*withdrawn)
    ImportJobRecord.objects.filter(space=membership.space_id, by=membership.user_id).delete()
    act_record(kind=ActRecord.Kind.MEMBER_REMOVED, space=membership.space_id, subject=membership.user_id)
    membership.delete()
