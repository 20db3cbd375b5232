"""The semantic state of a session on a page: beside its conversation, one element with its history, and edits in place."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from memory import selectors
from memory.models import Session, StateElementRecord
from memory.selectors.semantic_state import state_element_of, state_elements_of, state_panel
from memory.services.accounts import person
from memory.services.edits.audit import EditRefused
from memory.services.semantic_state import ACTS
from memory.views.own_pages import own_page
from memory.views.rows import or_404

RESTING = 20


@own_page
def panel(request: HttpRequest, session_id: int) -> HttpResponse:
    """Return the state of a session; `?kept` says that it is shown though it is empty.

    Beside a conversation that was deleted under the page, nothing is swapped in: the page itself says what is gone.
    """
    session = selectors.sessions_of(person(request.user)).filter(pk=session_id).first()
    if session is None and request.htmx:
        return HttpResponse(status=204)
    if session is None:
        raise Http404
    return render_panel(request, session)


def render_panel(
    request: HttpRequest, session: Session, *, refusal: str = "", has_changed: bool = False
) -> HttpResponse:
    context = {
        "panel": state_panel(session),
        "refusal": refusal,
        "has_changed": has_changed,
        "is_kept": "kept" in request.GET or not request.htmx,
        "is_page": not request.htmx,
        "place": "memory",
    }
    return render(request, "memory/_task.html" if request.htmx else "memory/task.html", context)


@own_page
def element(request: HttpRequest, element_id: int) -> HttpResponse:
    """Show one element: its words, what it rests on and what rests on it, and how it came to be what it is."""
    found = or_404(lambda: state_element_of(person(request.user), element_id))
    others = StateElementRecord.objects.filter(session=found.session_id).order_by("pk")
    context = {
        "element": found,
        "rests_on": others.filter(key__in=found.basis),
        "resting": others.filter(basis__contains=[found.key])[:RESTING],
        "is_page": True,
        "place": "memory",
    }
    return render(request, "memory/task_element.html", context)


@require_POST
def act(request: HttpRequest, element_id: int) -> HttpResponse:
    """Answer, confirm, refuse, change or withdraw an element, as the form says."""
    found = or_404(lambda: state_elements_of(person(request.user)).select_related("session").get(pk=element_id))
    do = ACTS.get(request.POST.get("act", ""))
    if do is None:
        return HttpResponseBadRequest(f"The act is one of: {', '.join(ACTS)}.")
    refusal = ""
    try:
        do(found, request.POST.get("words", ""), person(request.user))
    except EditRefused as refused:
        refusal = str(refused)
    if request.htmx:
        return render_panel(request, found.session, refusal=refusal, has_changed=not refusal)
    if refusal:
        messages.error(request, refusal)
    return redirect("state-panel", found.session_id)
