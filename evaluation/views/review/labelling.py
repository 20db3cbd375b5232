"""The labelling page: one item at a time. Answers are stored by the API; the page asks here for what comes next."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationProject
from evaluation.selectors.annotation.progress import own_progress
from evaluation.selectors.annotation.projects import guideline_of
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.services.annotation.queue import items_take
from evaluation.views.review.shell import project_shell, project_visible
from memory.services.accounts import person
from memory.views.own_pages import own_page

AT_ONCE = 2


@own_page
def label(request: HttpRequest, project_id: int) -> HttpResponse:
    project, user = project_visible(request, project_id, "label"), person(request.user)
    mine = Annotation.objects.filter(item__project=project, by=user, undone_at=None)
    context = project_shell(
        request,
        project,
        "label",
        done=own_progress(project, user).labelled,
        left=waiting_for(user, [project])[project.pk].to_label,
        last=mine.order_by("-pk").first(),
        **taken(request, project),
    )
    return render(request, "evaluation/review/label.html", context)


@require_POST
def take(request: HttpRequest, project_id: int) -> HttpResponse:
    """Return the items that the user holds now, with the next ones, as parts of the labelling page."""
    project = project_visible(request, project_id, "label")
    return render(
        request, "evaluation/review/_to_label.html", project_shell(request, project, "label", **taken(request, project))
    )


@own_page
def guideline(request: HttpRequest, project_id: int) -> HttpResponse:
    """Return the guideline that counts now, for a page that was open when it changed."""
    project = project_visible(request, project_id, "label")
    return render(request, "evaluation/review/_guideline.html", {"guideline": guideline_of(project)})


def taken(request: HttpRequest, project: AnnotationProject) -> dict[str, Any]:
    try:
        leases = items_take(project=project, user=person(request.user), count=AT_ONCE)
        why = ""
    except AnnotationRefused as refusal:
        leases, why = [], str(refusal)
    return {"leases": leases, "why": why, "guideline": leases[0].guideline if leases else guideline_of(project)}
