"""Reads who may do what in the annotation of a space."""

from __future__ import annotations

from collections import defaultdict
from typing import Literal

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from evaluation.models import ReviewMember, ReviewRole
from memory.models import Membership, Space

# `label` items, `read` results, `curate` projects and disputes, `own` who takes part.
Act = Literal["label", "read", "curate", "own"]
MAY: dict[ReviewRole, frozenset[Act]] = {
    ReviewRole.OWNER: frozenset({"label", "read", "curate", "own"}),
    ReviewRole.CURATOR: frozenset({"label", "read", "curate"}),
    ReviewRole.ANNOTATOR: frozenset({"label"}),
    ReviewRole.READER: frozenset({"read"}),
}


def role_in(space: Space | int, user: User) -> ReviewRole | None:
    """Return a person's role in a space, in one query: a member of the space that was given none is a reader."""
    own = Membership.objects.filter(space=space, user=user).values_list("role")
    given = ReviewMember.objects.filter(space=space, user=user).values_list("role")
    return highest({role for (role,) in own.union(given, all=True)})


def roles_of(user: User) -> dict[int, ReviewRole | None]:
    """Return a person's role in each space in which they have one, in one query."""
    own = Membership.objects.filter(user=user).values_list("space", "role")
    held = defaultdict(set)
    for space, role in own.union(ReviewMember.objects.filter(user=user).values_list("space", "role"), all=True):
        held[space].add(role)
    return {space: highest(roles) for space, roles in held.items()}


def highest(held: set[str]) -> ReviewRole | None:
    return next((role for role in MAY if role in held), ReviewRole.READER if held else None)


def may(role: ReviewRole | None, act: Act) -> bool:
    return role is not None and act in MAY[role]


def role_required(space: Space | int, user: User, act: Act) -> ReviewRole:
    """Return the person's role. Raises `PermissionDenied` where it does not allow the act."""
    role = role_in(space, user)
    if role is None or not may(role, act):
        raise PermissionDenied("Your role in this team does not allow this. Ask an owner for another one.")
    return role
