"""The page of one fact, and what a person may do about it: forget, correct."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from memory import selectors, services
from memory.models import TripleRecord
from memory.services.edits.audit import EditRefused


def owned(request: HttpRequest, triple_id: int) -> TripleRecord:
    """Return a fact of one of the user's spaces. Another's is not found."""
    try:
        return selectors.triple_of(request.user, triple_id)
    except TripleRecord.DoesNotExist as error:
        raise Http404 from error


@never_cache
@require_safe
def triple(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Show a fact with its source, what it replaced and what replaced it."""
    return render_triple(request, owned(request, triple_id))


def render_triple(request: HttpRequest, fact: TripleRecord, *, refusal: str = "", status: int = 200) -> HttpResponse:
    conflicts = selectors.conflicts_of(request.user).filter(Q(old=fact) | Q(new=fact)).order_by("-id")[:20]
    context = {"fact": fact, "conflicts": conflicts, "refusal": refusal}
    return render(request, "memory/triple.html", context, status=status)


@require_POST
def forget(request: HttpRequest, triple_id: int) -> HttpResponse:
    fact = owned(request, triple_id)
    services.triple_forget(triple=fact, by=request.user)
    if request.htmx:
        response = render(request, "memory/_forgotten.html")
        return trigger_client_event(response, "memory-changed", after="settle")
    messages.success(request, "Forgotten.")
    return redirect("memory-panel", fact.space_id)


@require_POST
def correct(request: HttpRequest, triple_id: int) -> HttpResponse:
    fact = owned(request, triple_id)
    try:
        corrected = services.triple_correct(triple=fact, value=request.POST.get("value", ""), by=request.user)
    except EditRefused as refusal:
        if request.htmx:
            context = {"fact": fact, "refusal": str(refusal), "place": request.POST.get("place", "")[:20]}
            return render(request, "memory/_correct.html", context)
        return render_triple(request, fact, refusal=str(refusal), status=422)
    if request.htmx:
        response = render(request, "memory/_corrected.html", {"fact": owned(request, corrected.pk)})
        return trigger_client_event(response, "memory-changed", after="settle")
    messages.success(request, "Corrected.")
    return redirect("triple", corrected.pk)
