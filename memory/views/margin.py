"""The margin: what a space remembers, newest first, with what changed and what could not be read."""

from __future__ import annotations

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memory import selectors
from memory.models import MaintenanceState, Round, Space
from memory.services import maintenance_retry

PAGE = 50
LARGEST = 1000
CHANGES = 5


@never_cache
@require_safe
def panel(request: HttpRequest, space_id: int) -> HttpResponse:
    """Return the margin of a space; `?limit=` shows more of it."""
    space = space_with_work(request, space_id)
    limit = limit_in(request)
    facts = selectors.triples_panel(space, limit=limit)
    active = [fact for fact in facts if fact.superseded_at is None]
    superseded = [fact for fact in facts if fact.superseded_at is not None]
    conflicts = selectors.conflicts_recent(space, limit=CHANGES) if superseded else []
    changed = {end for conflict in conflicts for end in (conflict.old_id, conflict.new_id)}
    context = {
        "space": space,
        "active": active,
        "replaced": [fact for fact in superseded if fact.pk not in changed],
        "conflicts": conflicts,
        "held": selectors.held_recent(space, limit=CHANGES),
        "failed": selectors.failed_rounds(space) if space.has_failed else [],
        "limit": limit,
        "more": limit + PAGE if len(facts) >= limit and limit < LARGEST else None,
    }
    return render(request, "memory/_panel.html" if request.htmx else "memory/panel.html", context)


def space_with_work(request: HttpRequest, space_id: int) -> Space:
    """Return one of the user's spaces, with whether anything in it waits to be read or could not be read."""
    rounds = Round.objects.filter(space=OuterRef("pk"))
    waiting = rounds.filter(maintenance__in=[MaintenanceState.PENDING, MaintenanceState.RUNNING])
    failed = rounds.filter(maintenance=MaintenanceState.FAILED)
    spaces = selectors.spaces_of(request.user).annotate(is_reading=Exists(waiting), has_failed=Exists(failed))
    try:
        return spaces.get(pk=space_id)
    except Space.DoesNotExist as error:
        raise Http404 from error


def limit_in(request: HttpRequest) -> int:
    value = request.GET.get("limit", "")
    return min(max(int(value), PAGE), LARGEST) if value.isdecimal() and len(value) < 6 else PAGE


@require_POST
def retry(request: HttpRequest, round_id: int) -> HttpResponse:
    """Read a round again that could not be read."""
    try:
        failed = selectors.rounds_of(request.user).get(pk=round_id)
    except Round.DoesNotExist as error:
        raise Http404 from error
    maintenance_retry(round=failed)
    if request.htmx:
        return panel_after_change(request, failed.space_id)
    return redirect("memory-panel", failed.space_id)


def panel_after_change(request: HttpRequest, space_id: int) -> HttpResponse:
    request.method = "GET"
    return panel(request, space_id)
