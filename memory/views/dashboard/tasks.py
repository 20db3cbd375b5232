"""The tasks of a space: the sessions whose state is kept, and the state of one of them, now or as of a turn."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memory import selectors
from memory.selectors.pages import page_of
from memory.selectors.semantic_state import state_panel, state_panel_as_of, states_of
from memory.services.accounts import person
from memory.views.dashboard.listing import listing, paged
from memory.views.dashboard.shell import space_visible
from memory.views.own_pages import own_page
from memory.views.rows import or_404


@own_page
def tasks(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "tasks")
    asked, as_of, reader = context["asked"].session, context["as_of"], person(request.user)
    if asked is not None:
        session = or_404(lambda: selectors.sessions_of(reader).get(pk=asked, space=space))
        context["panel"] = state_panel(session) if as_of is None else state_panel_as_of(session, as_of)
    else:
        states = states_of(reader, space.pk)
        if as_of is not None:
            states = states.filter(session__started_at__lte=as_of.said_at)
        context |= paged(request, page_of(states, before=context["before"]))
    return render(request, "memory/dashboard/tasks.html", context)
