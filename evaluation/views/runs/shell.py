"""What every page of *Evaluate* shares: the tabs, and that runs and items of another space are not found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest

from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.run_items import items_of
from evaluation.selectors.runs import runs_of
from memory.services.accounts import person
from memory.views.dashboard.listing import words_in
from memory.views.rows import or_404, row_numbers

# The name of a tab, its address, its label, and what is there.
TABS = (
    ("runs", "evaluate", "Runs", "What was measured, by whom, and how far it is"),
    ("new", "run-new", "New run", "Measure ways of answering on a file of dialogues"),
    ("trend", "run-trend", "Trend", "A figure over time and versions of the code"),
    ("live", "run-live", "Conversations", "How the replies of real conversations were scored, day by day"),
)


def shell(tab: str, **context: Any) -> dict[str, Any]:
    return {"place": "evaluate", "tabs": TABS, "tab": tab, **context}


def run_visible(request: HttpRequest, run_id: int) -> EvaluationRun:
    """Return a run of one of the user's spaces. Raises `Http404` for any other."""
    runs = runs_of(person(request.user)).select_related("space", "created_by")
    return or_404(lambda: runs.get(pk=run_id))


def item_visible(request: HttpRequest, item_id: int) -> RunItem:
    """Return an item of a run of one of the user's spaces. Raises `Http404` for any other."""
    return or_404(lambda: items_of(person(request.user)).get(pk=item_id))


def runs_asked(request: HttpRequest, *, at_most: int) -> list[EvaluationRun]:
    """Return the runs of `?run=` in the order of the address. Raises `Http404` where one is not the user's to see."""
    numbers = row_numbers(request.GET.getlist("run"))[:at_most]
    found = runs_of(person(request.user)).select_related("space", "created_by").in_bulk(numbers)
    if len(found) < len(numbers):
        raise Http404
    return [found[number] for number in numbers]


def metric_asked(request: HttpRequest, metrics: Sequence[str]) -> str:
    """Return the metric of the address, or the leading one; "" where there is none."""
    asked = words_in(request, "metric")
    return asked if asked in metrics else next(iter(metrics), "")


def place_asked(request: HttpRequest, name: str) -> int | None:
    """Return a URL parameter as a place in a list, None for anything else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
