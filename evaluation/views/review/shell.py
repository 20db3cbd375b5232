"""What every page of *Review* shares: the tabs, and that a project is found by who has a part in it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from evaluation.core.annotation.catalogue import kind_named
from evaluation.models import AnnotationProject
from evaluation.selectors.annotation.projects import projects_of
from evaluation.selectors.annotation.roles import Act, may, role_in, role_required
from memory.services.accounts import person
from memory.views.rows import or_404

ACTS: tuple[Act, ...] = ("label", "read", "curate", "own")
# The name of a tab, its address, its label, what is there, and what one must be allowed to.
PROJECT_TABS: tuple[tuple[str, str, str, str, Act | None], ...] = (
    ("overview", "review-project", "Overview", "How far it is, who labels, the guideline", None),
    ("label", "review-label", "Label", "One item after the other, by keys", "label"),
    ("settle", "review-settle", "Settle", "What people disagree on", "curate"),
    ("agreement", "review-agreement", "Agreement", "How far people agree, and with the machine", "read"),
    ("results", "review-results", "Results", "What was found, to be used and taken out", "read"),
)
TABS = (
    ("projects", "review", "Projects", "What is labelled, and what waits for you"),
    ("new", "review-new", "New project", "Have items labelled by your team"),
    ("teams", "review-teams", "Team", "Who may label, settle and read"),
)


def shell(tab: str, **context: Any) -> dict[str, Any]:
    tabs = [(name, reverse(view), label, what) for name, view, label, what in TABS]
    return {"place": "review", "tabs": tabs, "tab": tab, **context}


def project_shell(request: HttpRequest, project: AnnotationProject, tab: str, **context: Any) -> dict[str, Any]:
    """Return the context of a page of a project: its kind, its tabs, and what the reader may do."""
    role = role_in(project.space_id, person(request.user))
    rights = {act: may(role, act) for act in ACTS}
    tabs = [
        (name, reverse(view, args=[project.pk]), label, what)
        for name, view, label, what, act in PROJECT_TABS
        if act is None or rights[act]
    ]
    return {
        "place": "review",
        "project": project,
        "kind": kind_named(project.kind),
        "rights": rights,
        "tabs": tabs,
        "tab": tab,
        **context,
    }


def project_visible(request: HttpRequest, project_id: int, act: Act | None = None) -> AnnotationProject:
    """Return a project in which the user takes part. Raises `Http404` for any other, `PermissionDenied` without the right."""
    user = person(request.user)
    project = or_404(lambda: projects_of(user).select_related("space", "created_by").get(pk=project_id))
    if act is not None:
        role_required(project.space_id, user, act)
    return project
