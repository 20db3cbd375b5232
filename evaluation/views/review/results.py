"""What people ended with: a list, one item with all that was said of it, and what is done with it (runs, memory, files)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem, ItemStanding
from evaluation.selectors.annotation.agreement import items_counted
from evaluation.selectors.annotation.items import NAMED, item_seen, results_of, settlements_marked
from evaluation.selectors.annotation.projects import items_of
from evaluation.selectors.annotation.roles import role_in
from evaluation.services.annotation.adjudication import item_withdraw
from evaluation.services.annotation.answers import answer_reveal
from evaluation.services.annotation.corrections import CONFLICT_KIND, corrections_apply, corrections_planned
from evaluation.services.annotation.files.writing import NEEDED, WRITTEN, project_export
from evaluation.services.annotation.overrides import FACT_KIND, overrides_apply, overrides_planned
from evaluation.views.review.settling import settleable
from evaluation.views.review.shell import project_shell, project_visible
from memory.selectors.pages import page_of
from memory.services.accounts import person
from memory.views.dashboard.listing import choice_in, paged, words_in
from memory.views.downloads import download, numbered
from memory.views.own_pages import own_page
from memory.views.rows import or_404

FORMS = {
    "jsonl": ("Finished items, with all that was said (JSON lines)", "application/jsonl; charset=utf-8", "jsonl"),
    "csv": ("Finished items as a table (CSV)", "text/csv; charset=utf-8", "csv"),
    "facts": ("Verdicts for evaluate facts (JSON)", "application/json", "json"),
    "messages": ("Messages to train the reader on (JSON lines)", "application/jsonl; charset=utf-8", "jsonl"),
}
PLANNED_SHOWN = 50


@own_page
def results(request: HttpRequest, project_id: int) -> HttpResponse:
    project = project_visible(request, project_id, "read")
    kind = kind_named(project.kind)
    standing, dataset = choice_in(request, "standing", ItemStanding), words_in(request, "dataset")
    items = results_of(project).filter(gold__isnull=True)
    datasets = sorted(items_counted(project).order_by().values_list("dataset", flat=True).distinct())
    if standing is not None:
        items = items.filter(standing=standing)
    if dataset:
        items = items.filter(dataset=dataset)
    items = items.prefetch_related(
        Prefetch("annotations", Annotation.objects.filter(undone_at=None).order_by("pk"), to_attr="live"),
        Prefetch("settlements", settlements_marked().reverse(), to_attr="settled"),
    )
    page = page_of(items, before=request.GET.get("before", "")[:50])
    context = project_shell(
        request,
        project,
        "results",
        standing=standing,
        standings=[one for one in ItemStanding if one != ItemStanding.OPEN],
        dataset=dataset,
        datasets=datasets,
        named=NAMED,
        forms=[
            (form, words) for form, (words, _, _) in FORMS.items() if NEEDED.get(form, project.kind) == project.kind
        ],
        feedback=feedback_of(project.kind, any(question.metric for question in kind.questions)),
        **paged(request, page),
    )
    return render(request, "evaluation/review/results.html", context)


def feedback_of(kind: str, has_metric: bool) -> str:
    """Return what the results of a kind are put into: "run", "memory" or nothing."""
    return "run" if kind == FACT_KIND or has_metric else "memory" if kind == CONFLICT_KIND else ""


@own_page
def item(request: HttpRequest, annotated_id: int) -> HttpResponse:
    """Show an item with all of it that its reader may know; who labelled it takes their answer back no more."""
    user = person(request.user)
    shown = or_404(lambda: items_of(user).select_related("project__space", "run_item__run").get(pk=annotated_id))
    seen = item_seen(shown, user, role_in(shown.project.space_id, user))
    if seen.own is not None:
        answer_reveal(annotation=seen.own)
    may_settle = settleable(user).filter(pk=shown.pk).exists()
    context = project_shell(request, shown.project, "results", item=shown, seen=seen, may_settle=may_settle)
    return render(request, "evaluation/review/item.html", context)


@require_POST
def withdraw(request: HttpRequest, annotated_id: int) -> HttpResponse:
    user = person(request.user)
    shown: AnnotationItem = or_404(lambda: items_of(user).get(pk=annotated_id))
    try:
        item_withdraw(item=shown, by=user, why=request.POST.get("why", ""))
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, "The item is withdrawn. It counts nowhere any more.")
    return redirect("review-item", shown.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: HttpRequest, project_id: int) -> HttpResponse:
    """Show what would change in runs or in the memory; the button changes it."""
    project, user = project_visible(request, project_id, "curate"), person(request.user)
    is_memory = project.kind == CONFLICT_KIND
    context: dict[str, Any] = {"is_memory": is_memory, "most": PLANNED_SHOWN}
    try:
        if request.method == "POST":
            if is_memory:
                corrected = corrections_apply(project=project, by=user)
                messages.success(
                    request,
                    f"{corrected.count} {'conflict is' if corrected.count == 1 else 'conflicts are'} decided as people said.",
                )
                for refused in corrected.refused:
                    messages.warning(request, refused)
            else:
                count = overrides_apply(project=project, by=user)
                counts = "figure counts" if count == 1 else "figures count"
                messages.success(request, f"{count} {counts} now as people said, wherever their runs are shown.")
            return redirect("review-results", project.pk)
        context["planned"] = (corrections_planned if is_memory else overrides_planned)(project, by=user)
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("review-results", project.pk)
    return render(request, "evaluation/review/feedback.html", project_shell(request, project, "results", **context))


@require_POST
def export(request: HttpRequest, project_id: int, form: str) -> HttpResponseBase:
    """Take results out as a file; with those of open items, one labels no more in the project, so this asks by POST."""
    project = project_visible(request, project_id, "curate")
    if form not in WRITTEN:
        raise Http404
    try:
        written = project_export(
            project=project, by=person(request.user), form=form, is_full=bool(request.POST.get("is_full"))
        )
    except AnnotationRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("review-results", project.pk)
    _, media_type, ending = FORMS[form]
    name = numbered(project.name or "project", project.pk)
    return download(written, media_type=media_type, name=name, suffix=ending)
