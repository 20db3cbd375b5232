"""The graph of a space: what it believed as of a turn, from an entity outwards, as a picture and as a table."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory import selectors
from memory.views.dashboard.shell import shell, space_visible

NEWEST = 40


@never_cache
@require_safe
def graph(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = shell(request, space, "graph")
    turn = context["as_of"]
    facts = selectors.graph_as_of(space, turn) if turn is not None else selectors.graph_now(space)
    return render(request, "memory/dashboard/graph.html", context | {"facts": facts.order_by("-id")[:NEWEST]})
