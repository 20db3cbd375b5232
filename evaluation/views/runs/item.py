"""The items of a run, and one item: what was asked, what each system replied, how it came about, how it was scored."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.errors import EvaluationError
from evaluation.core.runs.compared import evidence_words
from evaluation.forms import OverrideForm
from evaluation.models import RunItem
from evaluation.selectors.run_items import (
    ItemsAsked,
    Standing,
    beside,
    categories_of,
    items_page,
    neighbours,
    scores_shown,
)
from evaluation.selectors.run_metrics import metrics_of
from evaluation.services.overrides import override_take_back, score_override
from evaluation.views.runs.shell import item_visible, metric_asked, place_asked, run_visible, runs_asked, shell
from memory.services.accounts import person
from memory.views.dashboard.listing import choice_in, with_values, words_in
from memory.views.dashboard.triples import back_to
from memory.views.own_pages import own_page

BESIDE_MOST = 4


@own_page
def items(request: HttpRequest, run_id: int) -> HttpResponse:
    """List the items of a run that the address asks for, in order, a page at a time."""
    run = run_visible(request, run_id)
    metrics = metrics_of([run])
    asked = ItemsAsked(
        metric=metric_asked(request, metrics),
        system=words_in(request, "system"),
        category=words_in(request, "category")
        if "category" in request.GET and request.GET["category"] != "*"
        else None,
        standing=choice_in(request, "standing", Standing),
        text=words_in(request, "q"),
    )
    after = place_asked(request, "after")
    page, last = items_page(run, asked, after=-1 if after is None else after)
    context = shell(
        "runs",
        run=run,
        asked=asked,
        metrics=metrics,
        standings=Standing,
        categories=categories_of(run),
        page=[(item, scores_shown(item)) for item in page],
        later=with_values(request, after=str(last)) if last is not None else "",
        first=with_values(request, after="") if after is not None else "",
        is_filtered=asked != ItemsAsked(metric=asked.metric),
    )
    return render(request, "evaluation/runs/items.html", context)


@own_page
def item(request: HttpRequest, item_id: int) -> HttpResponse:
    """Show an item beside what the other systems, and the runs of `?run=`, made of the same."""
    return render_item(request, item_visible(request, item_id))


def render_item(
    request: HttpRequest, shown: RunItem, *, form: OverrideForm | None = None, refusal: str = ""
) -> HttpResponse:
    others = [run.pk for run in runs_asked(request, at_most=BESIDE_MOST)]
    columns = [(one, scores_shown(one)) for one in beside(shown, others)]
    before, after = neighbours(shown)
    kept = "".join(f"&run={one}" for one in others)
    context = shell(
        "runs",
        item=shown,
        run=shown.run,
        columns=columns,
        evidence=evidence_words(shown.case.content, shown.evidence, shown.found),
        earlier=reverse("run-item", args=[before]) + kept.replace("&", "?", 1) if before is not None else "",
        later=reverse("run-item", args=[after]) + kept.replace("&", "?", 1) if after is not None else "",
        kept=kept,
        form=form,
        refusal=refusal,
        address=reverse("run-item", args=[shown.pk]) + kept.replace("&", "?", 1),
    )
    return render(request, "evaluation/runs/item.html", context, status=422 if form is not None else 200)


@require_POST
def override(request: HttpRequest, item_id: int) -> HttpResponse:
    """Let the person's score count in place of a measured one, or take theirs back."""
    shown, user = item_visible(request, item_id), person(request.user)
    back = back_to(request, reverse("run-item", args=[shown.pk]))
    try:
        if request.POST.get("take_back"):
            metric = request.POST.get("metric", "")
            override_take_back(item=shown, metric=metric, comment=request.POST.get("comment", ""), by=user)
            messages.success(request, f"What was measured counts again for {metric}.")
            return redirect(back)
        form = OverrideForm(request.POST)
        if not form.is_valid():
            return render_item(request, shown, form=form)
        score_override(item=shown, by=user, **form.cleaned_data)
    except EvaluationError as refusal:
        messages.error(request, str(refusal))
        return redirect(back)
    messages.success(request, f"Your score of {form.cleaned_data['metric']} counts now, in every figure.")
    return redirect(back)
