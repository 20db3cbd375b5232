"""The list of projects, with what waits for the reader."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.selectors.annotation.projects import projects_of
from evaluation.selectors.annotation.roles import may, roles_of
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.views.review.shell import ACTS, shell
from memory.selectors.pages import page_of
from memory.services.accounts import person
from memory.views.dashboard.listing import paged

PAGE = 20


@never_cache
@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    rows = projects_of(user).select_related("space", "created_by")
    page = page_of(rows, before=request.GET.get("before", "")[:50], size=PAGE)
    context = shell(
        "projects",
        progress=waiting_for(user, page.rows),
        rights={space: {act: may(role, act) for act in ACTS} for space, role in roles_of(user).items()},
        **paged(request, page),
    )
    return render(request, "evaluation/review/projects.html", context)
