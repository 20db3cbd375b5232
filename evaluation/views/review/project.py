"""The list of projects with what waits for the reader; a project, how far it is, its people and guideline, how it ends."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from evaluation.core.errors import AnnotationRefused
from evaluation.models import AnnotationItem, AnnotationProject, Guideline, ItemStanding, MachinePass, ProjectOrder
from evaluation.selectors.annotation.events import events_of
from evaluation.selectors.annotation.items import skips_of
from evaluation.selectors.annotation.progress import golds_of, own_progress, people_progress
from evaluation.selectors.annotation.projects import projects_of
from evaluation.selectors.annotation.roles import may, roles_of
from evaluation.selectors.annotation.waiting import waiting_for
from evaluation.services.annotation.players import PLAYERS
from evaluation.services.annotation.projects import guideline_add, project_close, project_delete, project_reopen
from evaluation.views.review.new import ORDERS
from evaluation.views.review.shell import ACTS, project_shell, project_visible, shell
from memory.selectors.pages import Page, page_of
from memory.services.accounts import person
from memory.views.dashboard.listing import paged
from memory.views.own_pages import own_page

PROJECTS = 20
LATEST = 12
# What people did to single items is told by their figures.
SINGLE = ("label", "undo", "skip")


@own_page
def projects(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    rows = projects_of(user).select_related("space", "created_by")
    page = page_of(rows, before=request.GET.get("before", "")[:50], size=PROJECTS)
    context = shell(
        "projects",
        progress=waiting_for(user, page.rows),
        rights={space: {act: may(role, act) for act in ACTS} for space, role in roles_of(user).items()},
        **paged(request, page),
    )
    return render(request, "evaluation/review/projects.html", context)


@own_page
def project(request: HttpRequest, project_id: int) -> HttpResponse:
    shown, user = project_visible(request, project_id), person(request.user)
    context = project_shell(request, shown, "overview")
    rights = context["rights"]
    latest, *versions = Guideline.objects.filter(project=shown).select_related("by").order_by("-version")
    context |= {
        "progress": waiting_for(user, [shown])[shown.pk],
        "own": own_progress(shown, user) if rights["label"] else None,
        "order": ORDERS[ProjectOrder(shown.order)],
        "guideline": latest,
        "versions": versions,
        "standings": ItemStanding,
    }
    if rights["read"]:
        context["datasets"] = datasets_of(shown)
    if rights["curate"]:
        machine = MachinePass.objects.filter(project=shown).first()
        context |= {
            "golds": golds_of(shown).count(),
            "people": people_progress(shown),
            "machine": machine,
            "may_ask_machine": shown.kind in PLAYERS and (machine is None or machine.is_done or machine.why),
            "skips": skips_of(shown)[:LATEST],
            "page": Page(list(events_of(shown.space, shown).exclude(what__in=SINGLE)[:LATEST])),
        }
    return render(request, "evaluation/review/project.html", context)


def datasets_of(project: AnnotationProject) -> list[tuple[str, list[int]]]:
    """Return how many items of each dataset stand how, in the order of `ItemStanding`."""
    rows = AnnotationItem.objects.filter(project=project, gold__isnull=True).order_by()
    counts = {
        (dataset, standing): count
        for dataset, standing, count in rows.values_list("dataset", "standing").annotate(count=Count("*"))
    }
    return [
        (dataset, [counts.get((dataset, standing.value), 0) for standing in ItemStanding])
        for dataset in sorted({dataset for dataset, _ in counts})
    ]


@require_POST
def guideline(request: HttpRequest, project_id: int) -> HttpResponse:
    """Let a new version of the guideline count."""
    shown = project_visible(request, project_id)
    try:
        made = guideline_add(project=shown, text=request.POST.get("text", ""), by=person(request.user))
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, f"Version {made.version} of the guideline counts now.")
    return redirect("review-project", shown.pk)


@require_POST
def close(request: HttpRequest, project_id: int) -> HttpResponse:
    """Close a project, or open it again."""
    shown, user = project_visible(request, project_id), person(request.user)
    if request.POST.get("reopen"):
        project_reopen(project=shown, by=user)
        messages.success(request, f"{shown.name} is open again.")
    else:
        project_close(project=shown, by=user)
        messages.success(request, f"{shown.name} is closed. What was said stays.")
    return redirect("review-project", shown.pk)


@require_POST
def delete(request: HttpRequest, project_id: int) -> HttpResponse:
    shown = project_visible(request, project_id)
    project_delete(project=shown, by=person(request.user))
    messages.success(request, f"{shown.name} is deleted, with all that was said in it.")
    return redirect("review")
