"""Reads annotation projects and the people who take part in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from evaluation.models import AnnotationItem, AnnotationProject, Guideline, ReviewMember, ReviewRole
from evaluation.selectors.annotation.roles import highest
from memory.models import Membership, Space


@dataclass(frozen=True)
class Person:
    """Somebody who takes part; `is_fixed` for owners of the memory, who are owners here whatever they were given."""

    user: User
    role: ReviewRole
    is_fixed: bool


def review_spaces_of(user: User) -> QuerySet[Space]:
    """Return the spaces in whose annotation a person has a role."""
    own = Membership.objects.filter(space=OuterRef("pk"), user=user)
    given = ReviewMember.objects.filter(space=OuterRef("pk"), user=user)
    return Space.objects.filter(Exists(own) | Exists(given)).order_by("id")


def with_owners(spaces: QuerySet[Space]) -> QuerySet[Space]:
    """Return spaces with who owns each, `owned_by`: everybody's first memory has the same name."""
    owners = Membership.objects.filter(space=OuterRef("pk"), role=Membership.Role.OWNER).order_by("pk")
    return spaces.annotate(owned_by=Subquery(owners.values("user__username")[:1]))


def projects_of(user: User) -> QuerySet[AnnotationProject]:
    """Return the projects of the spaces in which a person has a role, the newest first."""
    return AnnotationProject.objects.filter(space__in=review_spaces_of(user).order_by()).order_by("-created_at", "-pk")


def items_of(user: User) -> QuerySet[AnnotationItem]:
    """Return the items of the person's projects, each with its project. What of them may be seen, `item_seen` says."""
    return AnnotationItem.objects.filter(project__in=projects_of(user).order_by()).select_related("project")


def guideline_of(project: AnnotationProject) -> Guideline:
    """Return the version of the guideline that counts now."""
    return Guideline.objects.filter(project=project).order_by("-version")[:1].get()


def people_of(space: Space) -> Sequence[Person]:
    """Return who takes part in the annotation of a space, by name."""
    given = {one.user: one.role for one in ReviewMember.objects.filter(space=space).select_related("user")}
    own = {one.user: one.role for one in Membership.objects.filter(space=space).select_related("user")}
    people = []
    for user in sorted(given | own, key=lambda one: one.get_username()):
        role = highest({one[user] for one in (given, own) if user in one}) or ReviewRole.READER
        people.append(Person(user, role, is_fixed=own.get(user) == Membership.Role.OWNER))
    return people
