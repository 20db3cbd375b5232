"""Settling what people disagree about: one item after the other, its sides without names, a reason with each."""

from __future__ import annotations

import json
from string import ascii_uppercase

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, AnnotationProject, ItemStanding
from evaluation.selectors.annotation.items import disputes_of, labelled_by, settled_by, settlements_marked, sides_of
from evaluation.selectors.annotation.projects import guideline_of, items_of
from evaluation.selectors.annotation.roles import role_required
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.services.annotation.adjudication import item_settle
from evaluation.views.review.shell import project_shell, project_visible
from memory.services.accounts import person
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404


@own_page
def settle(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show the first dispute, or the next one after an item, or an item that was settled already."""
    project, user = project_visible(request, project_id, "curate"), person(request.user)
    disputes = disputes_of(project, user)
    after, asked = number_in(request, "after"), number_in(request, "item")
    item = None
    if asked is not None:
        item = or_404(lambda: settleable(user).get(project=project, pk=asked))
    elif after is not None:
        place = AnnotationItem.objects.filter(project=project, pk=after).values_list("place", flat=True).first()
        item = disputes.filter(place__gt=place).first() if place is not None else None
    return render_settling(request, project, item or disputes.first())


def settleable(user: User) -> QuerySet[AnnotationItem]:
    """Return the items whose sides a person may be shown to settle them: of an open item they would not be blind."""
    return items_of(user).filter(settled_by(user), standing__in=(ItemStanding.DISPUTED, ItemStanding.SETTLED))


def render_settling(
    request: HttpRequest, project: AnnotationProject, item: AnnotationItem | None, *, refusal: str = ""
) -> HttpResponse:
    context = project_shell(
        request,
        project,
        "settle",
        item=item,
        progress=waiting_for(person(request.user), [project])[project.pk],
        guideline=guideline_of(project),
        refusal=refusal,
        given=request.POST.get("answer", ""),
        reason=request.POST.get("reason", ""),
    )
    if item is not None:
        labels = list(Annotation.objects.filter(item=item, undone_at=None).order_by("pk"))
        context["settled"] = settlements_marked().filter(item=item).last()
        context["is_own"] = AnnotationItem.objects.filter(labelled_by(person(request.user)), pk=item.pk).exists()
        context["sides"] = list(zip(ascii_uppercase, sides_of(item, labels), strict=False))
    return render(request, "evaluation/review/settle.html", context, status=422 if refusal else 200)


@require_POST
def settle_item(request: HttpRequest, annotated_id: int) -> HttpResponse:
    user = person(request.user)
    item = or_404(lambda: items_of(user).select_related("project__space").get(pk=annotated_id))
    role_required(item.project.space_id, user, "curate")
    try:
        answer = json.loads(request.POST.get("answer") or "{}")
        item_settle(
            item=item, by=user, answer=answer, reason=request.POST.get("reason", ""), again="again" in request.POST
        )
    except (ValueError, RecursionError):
        refusal = "Your answer could not be read. Choose it again."
    except AnnotationRefused as refused:
        refusal = str(refused)
    else:
        messages.success(request, "Settled. Your reason is kept with the item.")
        return redirect(f"{reverse('review-settle', args=[item.project_id])}?after={item.pk}")
    if (shown := settleable(user).filter(pk=item.pk).first()) is not None:
        return render_settling(request, item.project, shown, refusal=refusal)
    messages.error(request, refusal)
    return redirect("review-settle", item.project_id)
