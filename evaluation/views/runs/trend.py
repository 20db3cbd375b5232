"""Figures over time: of the runs of a benchmark, and of the replies of real conversations, day by day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from evaluation.core.report import Row
from evaluation.core.runs.tables import EMPTY, Chart, ChartRow
from evaluation.selectors.live import DayOfReplies, days_of_replies
from evaluation.selectors.run_list import run_choices
from evaluation.selectors.run_metrics import metrics_of
from evaluation.selectors.trend import TrendPoint, runs_trended, trend_points
from evaluation.templatetags.runs import named
from evaluation.views.runs.shell import metric_asked, shell
from memory import selectors
from memory.services.accounts import person
from memory.views.dashboard.listing import words_in
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404

DAYS = (7, 30, 90)
LIVE: dict[str, Callable[[DayOfReplies], Row]] = {
    "cs": lambda day: Row(day.responder, "cs", day.consistency, n=day.scored),
    "der": lambda day: Row(day.responder, "der", day.rate, n=day.scored),
    "facts": lambda day: Row(day.responder, "facts", day.facts.score, n=day.facts.decided),
}


@own_page
def trend(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    choices = run_choices(user)
    benchmark = asked_of(request, "benchmark", choices.benchmarks)
    systems = choices.systems_of.get(benchmark, [])
    system = asked_of(request, "system", systems)
    runs = runs_trended(user, benchmark, system)
    metrics = metrics_of(runs)
    metric = metric_asked(request, metrics)
    context = shell(
        "trend",
        choices=choices,
        benchmark=benchmark,
        systems=systems,
        system=system,
        metrics=metrics,
        metric=metric,
        chart=trend_chart(trend_points(runs, system, metric), metric),
        is_table=request.GET.get("view") == "table",
    )
    return render(request, "evaluation/runs/trend.html", context)


def asked_of(request: HttpRequest, name: str, known: list[str]) -> str:
    asked = words_in(request, name)
    return asked if asked in known else next(iter(known), "")


def trend_chart(points: list[TrendPoint], metric: str) -> Chart:
    lines = tuple(dict.fromkeys(point.line for point in points))
    rows = tuple(
        ChartRow(
            x=point.run.created_at.timestamp(),
            title=point.run.name,
            cells=tuple(point.row if line == point.line else EMPTY for line in lines),
            link=reverse("run", args=[point.run.pk]),
            says=f"{timezone.localtime(point.run.created_at):%Y-%m-%d %H:%M}"
            + (f", code {point.run.identity.get('code', '')}" if point.is_new_code else ", same code"),
        )
        for point in points
    )
    return Chart("trend", f"{named(metric)[0]} over time", "Run", lines, rows, is_time=True)


@own_page
def live(request: HttpRequest) -> HttpResponse:
    user = person(request.user)
    number = number_in(request, "space")
    space = or_404(lambda: selectors.space_of(user, number)) if number is not None else None
    days = int(asked) if (asked := request.GET.get("days", "")) in map(str, DAYS) else DAYS[1]
    metric = asked if (asked := request.GET.get("metric", "")) in LIVE else "cs"
    since = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days - 1)
    found = days_of_replies(user, since=since, space_id=space.pk if space is not None else None)
    context = shell(
        "live",
        spaces=selectors.spaces_of(user),
        space=space,
        days=days,
        days_offered=DAYS,
        metric=metric,
        metrics_offered=list(LIVE),
        chart=live_chart(found, metric),
        scored=sum(day.scored for day in found),
        unscored=sum(day.unscored for day in found),
        decided=sum(day.facts.decided for day in found),
        claims=sum(day.facts.claims for day in found),
        is_table=request.GET.get("view") == "table",
    )
    return render(request, "evaluation/runs/live.html", context)


def live_chart(found: list[DayOfReplies], metric: str) -> Chart:
    known = {(day.day, day.responder): LIVE[metric](day) for day in found}
    responders = tuple(sorted({day.responder for day in found if known[day.day, day.responder].value is not None}))
    rows = tuple(
        ChartRow(
            x=timezone.make_aware(datetime.combine(day, time(12))).timestamp(),
            title=f"{day:%Y-%m-%d}",
            cells=tuple(known.get((day, responder), EMPTY) for responder in responders),
        )
        for day in sorted({day for day, _ in known})
    )
    lines = tuple(responder or "brought in" for responder in responders)
    return Chart("live", "Replies of conversations, day by day", "Day", lines, rows, is_time=True)
