"""A run: how far it is, what was asked, its whole identity, its figures by system, category and turn, and what it took.

Who made it, or owns its space, gives it another name, other tags and a comment in place.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.runs.identity import IN_WORDS
from evaluation.core.runs.tables import category_table, cost_table, figure_table, turn_chart
from evaluation.forms import RunWordsForm
from evaluation.models import EvaluationRun
from evaluation.selectors.run_items import overridden_count
from evaluation.selectors.run_list import with_rights
from evaluation.selectors.run_metrics import metrics_of
from evaluation.selectors.runs import run_progress, runs_of
from evaluation.services.run_figures import run_figures
from evaluation.services.runs.words import run_describe
from evaluation.templatetags.runs import named
from evaluation.views.runs.shell import metric_asked, shell
from memory.services.accounts import person
from memory.views.own_pages import own_page
from memory.views.rows import or_404

TOLD = ("rounds_failed", "skipped")


@own_page
def run(request: HttpRequest, run_id: int) -> HttpResponse:
    shown = run_with_rights(request, run_id)
    given = {"name": shown.name, "tags": ", ".join(shown.tags), "comment": shown.comment}
    return render_run(request, shown, RunWordsForm(initial=given))


@require_POST
def describe(request: HttpRequest, run_id: int) -> HttpResponse:
    """Change the name, the tags and the comment of a run."""
    shown = run_with_rights(request, run_id)
    if not shown.may_delete:
        raise PermissionDenied
    form = RunWordsForm(request.POST)
    if not form.is_valid():
        return render_run(request, shown, form)
    run_describe(run=shown, **form.cleaned_data)
    messages.success(request, "Changed.")
    return redirect("run", shown.pk)


def run_with_rights(request: HttpRequest, run_id: int) -> Any:
    """Return a run of one of the user's spaces, with `may_delete`. Raises `Http404` for any other."""
    user = person(request.user)
    return or_404(lambda: with_rights(runs_of(user), user).select_related("space", "created_by").get(pk=run_id))


def render_run(request: HttpRequest, shown: EvaluationRun, form: RunWordsForm) -> HttpResponse:
    rows = run_figures(shown)
    metrics = metrics_of([shown])
    measured = {row.name for row in rows if row.metric == "items"}
    metric = metric_asked(request, metrics)
    context = shell(
        "runs",
        run=shown,
        progress=run_progress(shown),
        metrics=metrics,
        metric=metric,
        figures=figure_table(rows, metrics),
        categories=category_table(rows, metric),
        turns=turn_chart(rows, metric, title=f"{named(metric)[0]} by turn"),
        costs=cost_table(rows),
        told=[
            row for row in rows if row.metric in TOLD or (row.value is None and row.n == 0 and row.name not in measured)
        ],
        overridden=overridden_count(shown),
        identity=identity_lines(shown),
        is_table=request.GET.get("view") == "table",
        address=request.get_full_path() if request.method != "POST" else reverse("run", args=[shown.pk]),
        words=form,
    )
    return render(request, "evaluation/runs/run.html", context, status=422 if form.errors else 200)


def identity_lines(shown: EvaluationRun) -> list[tuple[str, str]]:
    """Return the whole identity of a run, line by line: what counts in words, then the settings by their names."""
    identity = shown.identity
    lines = [(words, identity.get(name, "")) for name, words in (("code", "the version"), *IN_WORDS.items())]
    settings = [(name, value) for part in ("config", "measure") for name, value in identity.get(part, {}).items()]
    return [*lines, *settings, ("all of it", shown.identity_digest)]
