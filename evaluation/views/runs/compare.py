"""Two or more runs beside each other: what their identities differ in, by how much figures differ, and on which items.

The first run of the address is the baseline. Where the runs have a system in common, it is compared with itself; where they
have none, the first system of the first run is what all others are compared with, and so is it within a single run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.core.interval_rows import grouped
from evaluation.core.runs.compared import ComparedItem, Side, adjusted, compared_items, compared_row, rows_by_category
from evaluation.core.runs.identity import RunIdentity
from evaluation.models import EvaluationRun
from evaluation.selectors.item_scores import effective_scores
from evaluation.selectors.run_items import items_named
from evaluation.selectors.run_metrics import metrics_of
from evaluation.templatetags.runs import named
from evaluation.views.runs.shell import metric_asked, place_asked, runs_asked, shell
from memory.views.dashboard.listing import with_values, words_in
from memory.views.own_pages import own_page

RUNS_MOST, SIDES_MOST = 6, 8
PAGE = 20
SHOWN = (
    ("differ", "where they differ"),
    ("better", "that became better"),
    ("worse", "that became worse"),
    ("all", "all"),
)


@dataclass(frozen=True)
class Column:
    """One side of the comparison with what is said above its figures."""

    side: Side
    run: EvaluationRun
    differs_in: Sequence[str] = ()


@own_page
def compare(request: HttpRequest) -> HttpResponse:
    runs = runs_asked(request, at_most=RUNS_MOST)
    sides, systems = sides_of(runs, words_in(request, "system"))
    if len(sides) < 2:
        return render(request, "evaluation/runs/compare.html", shell("runs", runs=runs, columns=[]))
    metrics = metrics_of(runs)
    metric = metric_asked(request, metrics)
    scores = grouped(effective_scores([run.pk for run in runs]), lambda one: one.metric)
    items = {name: compared_items(scores.get(name, ()), sides) for name in metrics}
    chosen = items.get(metric, [])
    category, which = request.GET.get("category"), request.GET.get("items", "differ")
    found = [one for one in chosen if is_asked(one, which) and category in (None, "*", one.category)]
    start = place_asked(request, "from") or 0
    page = found[start : start + PAGE]
    context = shell(
        "runs",
        runs=runs,
        columns=columns_of(runs, sides),
        systems=systems,
        system=sides[0].system,
        metrics=metrics,
        metric=metric,
        figures=adjusted([compared_row(name, inside) for name, inside in items.items() if inside]),
        categories=adjusted(rows_by_category(chosen)),
        category="*" if category is None else category,
        category_title=f"{named(metric)[0]} by category",
        which=which if which in dict(SHOWN) else "differ",
        which_offered=SHOWN,
        beside="?" + urlencode({"run": [run.pk for run in runs]}, doseq=True),
        found=len(found),
        paired=sum(None not in one.values for one in chosen),
        total=len(chosen),
        overridden=sum(one.is_overridden for one in chosen),
        page=items_named(page),
        start=start,
        earlier=with_values(request, **{"from": str(max(0, start - PAGE)) if start > PAGE else ""}) if start else "",
        later=with_values(request, **{"from": str(start + PAGE)}) if start + PAGE < len(found) else "",
    )
    return render(request, "evaluation/runs/compare.html", context)


def sides_of(runs: Sequence[EvaluationRun], asked: str) -> tuple[list[Side], list[str]]:
    """Return the sides, the baseline first, and the systems that may be the baseline's."""
    if not runs:
        return [], []
    first, *others = runs
    common = [system for system in first.systems if others and all(system in run.systems for run in others)]
    systems = common or list(first.systems)
    system = asked if asked in systems else systems[0]
    if common:
        return [Side(run.pk, system) for run in runs], systems
    rest = [Side(run.pk, one) for run in runs for one in run.systems if Side(run.pk, one) != Side(first.pk, system)]
    return [Side(first.pk, system), *rest][:SIDES_MOST], systems


def columns_of(runs: Sequence[EvaluationRun], sides: Sequence[Side]) -> list[Column]:
    by_id = {run.pk: run for run in runs}
    baseline = RunIdentity.from_json(runs[0].identity)
    differences = {run.pk: baseline.differences(RunIdentity.from_json(run.identity)) for run in runs}
    return [Column(side, by_id[side.run], differences[side.run]) for side in sides]


def is_asked(item: ComparedItem, which: str) -> bool:
    match which:
        case "all":
            return True
        case "better":
            return (item.change or 0) > 0
        case "worse":
            return (item.change or 0) < 0
        case _:
            return item.differs
