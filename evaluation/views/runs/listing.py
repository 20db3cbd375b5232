"""The list of runs: filtered by what the address says, paged, live; a run is stopped, resumed and deleted in place."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.errors import EvaluationError
from evaluation.models import RunState
from evaluation.selectors.run_list import RunsAsked, run_choices, runs_page, with_rights
from evaluation.selectors.runs import run_progress, runs_of, runs_progress
from evaluation.services import runs as services
from evaluation.views.runs.shell import run_visible, shell
from memory.services.accounts import person
from memory.views.dashboard.listing import choice_in, paged, words_in
from memory.views.dashboard.triples import back_to
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404


@own_page
def runs(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    asked = RunsAsked(
        text=words_in(request, "q"),
        benchmark=words_in(request, "benchmark"),
        system=words_in(request, "system"),
        engine=words_in(request, "engine"),
        tag=words_in(request, "tag"),
        state=choice_in(request, "state", RunState) or "",
        who=number_in(request, "who"),
    )
    page = runs_page(user, asked, before=request.GET.get("before", "")[:50])
    context = shell(
        "runs",
        asked=asked,
        progress=runs_progress(page.rows),
        choices=run_choices(user),
        states=RunState,
        is_filtered=asked != RunsAsked(),
        address=request.get_full_path(),
        **paged(request, page),
    )
    return render(request, "evaluation/runs/runs.html", context)


@own_page
def progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """Return how far a run is; what can be done with it goes along when its state is another than the page shows."""
    user = person(request.user)
    run = or_404(lambda: with_rights(runs_of(user), user).get(pk=run_id))
    is_news = request.GET.get("state") != run.state
    back = request.htmx.current_url_abs_path or reverse("run", args=[run.pk])
    context = {"run": run, "progress": run_progress(run), "is_news": is_news, "back": back}
    response = render(request, "evaluation/runs/_progress_news.html", context)
    if is_news:
        # The figures of the run's own page are asked for anew.
        response["HX-Trigger"] = "run-news"
    return response


@require_POST
def stop(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_visible(request, run_id)
    services.run_stop(run=run)
    messages.success(request, f"{run.name} is stopped. What has ended is kept; resume it whenever you like.")
    return redirect(back_to(request, reverse("run", args=[run.pk])))


@require_POST
def resume(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_visible(request, run_id)
    try:
        services.run_resume(run=run)
    except EvaluationError as refusal:
        messages.error(request, f"{run.name} was not resumed. {refusal}")
    else:
        messages.success(request, f"{run.name} was resumed.")
    return redirect(back_to(request, reverse("run", args=[run.pk])))


@require_POST
def delete(request: HttpRequest, run_id: int) -> HttpResponse:
    """Delete a run with its items and scores: who made it may, and an owner of its space."""
    user = person(request.user)
    run = or_404(lambda: with_rights(runs_of(user), user).get(pk=run_id))
    if not run.may_delete:
        raise PermissionDenied
    services.run_delete(run=run)
    messages.success(request, f"{run.name} is deleted, with its items and scores.")
    return redirect("evaluate")
