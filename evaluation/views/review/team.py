"""The team: who takes part and as what, invitations by link, and what was done. The page behind such a link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.core.errors import AnnotationRefused
from evaluation.models import ReviewInvitation, ReviewMember, ReviewRole
from evaluation.selectors.annotation.events import events_of
from evaluation.selectors.annotation.projects import people_of, review_spaces_of, with_owners
from evaluation.selectors.annotation.roles import may, role_in, role_required
from evaluation.services.annotation.members import (
    digest,
    invitation_make,
    invitation_take,
    invitation_withdraw,
    member_change,
    member_remove,
)
from evaluation.views.review.shell import ACTS, shell
from memory.adapters.row_security.scope import everything
from memory.models import Space
from memory.selectors import space_at_home
from memory.selectors.pages import page_of
from memory.services import space_personal
from memory.services.accounts import person
from memory.views.dashboard.listing import paged
from memory.views.own_pages import own_page
from memory.views.rows import or_404

ROLE_WORDS = {
    ReviewRole.OWNER: "do all of this, and say who takes part.",
    ReviewRole.CURATOR: "make projects, fill them with items, settle disagreements, take results out, and label too.",
    ReviewRole.ANNOTATOR: "label items, without seeing what others or the machine said.",
    ReviewRole.READER: "read agreement and results, and label nothing.",
}
INVITATIONS = 20


@own_page
def teams(request: HttpRequest) -> HttpResponse:
    """Redirect to the team of the user's own memory; of another one that they take part in where they have none."""
    user = person(request.user)
    space = space_at_home(user) or review_spaces_of(user).first() or space_personal(user=user)
    return redirect("review-team", space.pk)


@own_page
def team(request: HttpRequest, space_id: int) -> HttpResponse:
    return render_team(request, space_visible(request, space_id))


def space_visible(request: HttpRequest, space_id: int) -> Space:
    return or_404(lambda: with_owners(review_spaces_of(person(request.user))).get(pk=space_id))


def render_team(
    request: HttpRequest, space: Space, *, invited: ReviewInvitation | None = None, link: str = ""
) -> HttpResponse:
    user = person(request.user)
    role = role_in(space, user)
    rights = {act: may(role, act) for act in ACTS}
    events = events_of(space).select_related("project")
    invitations = ReviewInvitation.objects.filter(space=space).select_related("made_by", "taken_by").order_by("-pk")
    context = shell(
        "teams",
        space=space,
        spaces=with_owners(review_spaces_of(user)),
        rights=rights,
        people=people_of(space),
        roles=ReviewRole,
        role_words=ROLE_WORDS.items(),
        invitations=invitations[:INVITATIONS] if rights["own"] else [],
        invited=invited,
        link=link,
        now=timezone.now(),
        **(paged(request, page_of(events, before=request.GET.get("before", "")[:50])) if rights["curate"] else {}),
    )
    return render(request, "evaluation/review/teams.html", context, status=201 if link else 200)


@require_POST
def invite(request: HttpRequest, space_id: int) -> HttpResponse:
    """Make an invitation and show its link, this once."""
    space = space_visible(request, space_id)
    try:
        invited, secret = invitation_make(space=space, role=request.POST.get("role", ""), by=person(request.user))
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("review-team", space.pk)
    link = request.build_absolute_uri(reverse("review-invitation", args=[secret]))
    return render_team(request, space, invited=invited, link=link)


@require_POST
def uninvite(request: HttpRequest, space_id: int, invitation_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    invitation = or_404(lambda: ReviewInvitation.objects.filter(space=space).get(pk=invitation_id))
    invitation_withdraw(invitation=invitation, by=person(request.user))
    messages.success(request, "The invitation is withdrawn.")
    return redirect("review-team", space.pk)


@require_POST
def member(request: HttpRequest, space_id: int, user_id: int) -> HttpResponse:
    """Give somebody another role, or end their part."""
    space, by = space_visible(request, space_id), person(request.user)
    if user_id != by.pk:
        role_required(space, by, "own")
    taking_part = User.objects.filter(pk__in=[one.user.pk for one in people_of(space)])
    user = or_404(lambda: taking_part.get(pk=user_id))
    try:
        if request.POST.get("remove"):
            member_remove(space=space, user=user, by=by)
            messages.success(request, f"{user.get_username()} takes part no longer. What they said stays.")
        else:
            given: ReviewMember = member_change(space=space, user=user, role=request.POST.get("role", ""), by=by)
            messages.success(request, f"{user.get_username()} takes part as {given.get_role_display().lower()}.")
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("review-team", space.pk) if role_in(space, by) else redirect("review")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Say what one is invited to; pressing the button takes the role. A GET leaves the invitation as it is."""
    with everything():  # the link alone says which space
        found = ReviewInvitation.objects.select_related("space", "made_by").filter(digest=digest(secret)).first()
    refusal = ""
    if found is None or found.taken_at is not None or found.expires_at <= timezone.now():
        refusal = "It was used or withdrawn, it has expired, or the link is not whole. Ask for a new one."
    elif request.method == "POST":
        try:
            taken = invitation_take(secret=secret, user=person(request.user))
        except AnnotationRefused as refused:
            refusal = str(refused)
        else:
            messages.success(request, f"You take part in {found.space.name} as {taken.get_role_display().lower()}.")
            return redirect("review")
    context = {
        "place": "review",
        "invitation": found,
        "refusal": refusal,
        "says": ROLE_WORDS[ReviewRole(found.role)] if found else "",
    }
    response = render(request, "evaluation/review/invitation.html", context, status=410 if refusal else 200)
    # The address is a key: it must not travel to another site as the page that the visitor came from.
    response["Referrer-Policy"] = "same-origin"
    return response
