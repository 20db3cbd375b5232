"""The page of one fact, and what a person may do about it: correct, say that it is wrong, forget, decide, undo."""

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from memory import selectors, services
from memory.models import EditRecord, TripleRecord
from memory.services.accounts import person
from memory.services.edits.audit import EditRefused
from memory.services.edits.confirm import triple_confirm
from memory.services.edits.correct import triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.stamps import EditOutdated
from memory.services.edits.undo import edit_undo
from memory.views.own_pages import own_page
from memory.views.rows import or_404

EDITS = 10


def owned(request: HttpRequest, triple_id: int) -> TripleRecord:
    """Return a fact of one of the user's spaces. Raises `Http404` for any other."""
    return or_404(lambda: selectors.triple_record_of(person(request.user), triple_id))


@own_page
def triple(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Show a fact with its source, what it replaced, what replaced it, and what was changed about it by hand."""
    return render_triple(request, owned(request, triple_id))


@own_page
def actions(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Return the buttons of one fact of a list, loaded when the reader opens them."""
    fact = owned(request, triple_id)
    return render(request, "memory/_fact_actions.html", {"fact": fact, "place": "list"})


def render_triple(
    request: HttpRequest, fact: TripleRecord, *, refusal: str = "", words: str = "", status: int = 200
) -> HttpResponse:
    reader = person(request.user)
    conflicts = selectors.conflicts_of(reader).filter(Q(old=fact) | Q(new=fact)).order_by("-id")[:20]
    context = {
        "fact": fact,
        "conflicts": conflicts,
        "edits": edits_about(request, fact)[:EDITS],
        "refusal": refusal,
        "words": words,
        "is_page": True,
        "place": "memory",
    }
    return render(request, "memory/triple.html", context, status=status)


def edits_about(request: HttpRequest, fact: TripleRecord) -> QuerySet[EditRecord]:
    """Return the edits by hand of a fact, newest first."""
    edits = selectors.edits_of(person(request.user)).filter(space=fact.space_id)
    return edits.filter(undo__about__triple__contains=[fact.pk]).order_by("-pk")


def outcome(request: HttpRequest, said: str, *, fact: TripleRecord | None = None, undoes: bool = True) -> HttpResponse:
    """Return a sentence about what was done, with a button to undo it, in place of the form; the margin reloads."""
    edit = edits_about(request, fact).filter(can_undo=True).first() if fact is not None and undoes else None
    response = render(request, "memory/_outcome.html", {"said": said, "fact": fact, "edit": edit})
    return trigger_client_event(response, "memory-changed", after="settle")


def refused(request: HttpRequest, refusal: EditRefused, *, edit: EditRecord | None = None) -> HttpResponse:
    """Return why nothing was changed; with `edit`, along with the button to undo it."""
    return render(request, "memory/_outcome.html", {"refusal": str(refusal), "edit": edit})


@require_POST
def forget(request: HttpRequest, triple_id: int) -> HttpResponse:
    fact = owned(request, triple_id)
    services.triple_forget(triple=fact, by=person(request.user))
    if request.htmx:
        return outcome(request, "Forgotten.")
    messages.success(request, "Forgotten.")
    return redirect("memory-panel", fact.space_id)


@require_POST
def retract(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Retract a fact that the person says is wrong."""
    fact = owned(request, triple_id)
    try:
        triple_retract(triple=fact, by=person(request.user), seen=request.POST.get("seen", ""))
    except EditRefused as refusal:
        return (
            refused(request, refusal)
            if request.htmx
            else render_triple(request, fact, refusal=str(refusal), status=422)
        )
    if request.htmx:
        return outcome(request, "I do not count on this any more:", fact=owned(request, triple_id))
    messages.success(request, "I do not count on this any more. Its history stays below, with a way to undo it.")
    return redirect("triple", fact.pk)


@require_POST
def confirm(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Let a fact hold that was read unsurely, since the person says that it was meant."""
    fact = owned(request, triple_id)
    try:
        confirmed = triple_confirm(triple=fact, by=person(request.user), seen=request.POST.get("seen", ""))
    except EditRefused as refusal:
        if request.htmx:
            return refused(request, refusal)
        return render_triple(request, fact, refusal=str(refusal), status=422)
    if request.htmx:
        return outcome(request, "Noted:", fact=owned(request, confirmed.pk))
    messages.success(request, "Noted. It can be undone below.")
    return redirect("triple", confirmed.pk)


@require_POST
def correct(request: HttpRequest, triple_id: int) -> HttpResponse:
    """Correct a fact. If it changed since the person saw it, show the new one with what the person typed."""
    fact = owned(request, triple_id)
    words = request.POST.get("value", "")
    try:
        corrected = services.triple_correct(
            triple=fact, value=words, by=person(request.user), seen=request.POST.get("seen", "")
        )
    except EditRefused as refusal:
        if isinstance(refusal, EditOutdated):
            fact = owned(request, fact.superseded_by_id or fact.pk)
        if request.htmx:
            context = {
                "fact": fact,
                "refusal": str(refusal),
                "words": words,
                "place": request.POST.get("place", "")[:20],
            }
            return render(request, "memory/_correct.html", context)
        return render_triple(request, fact, refusal=str(refusal), words=words, status=422)
    is_changed = corrected.pk != fact.pk
    said = "Corrected:" if is_changed else "That is what I remember already:"
    if request.htmx:
        return outcome(request, said, fact=owned(request, corrected.pk), undoes=is_changed)
    messages.success(
        request, "Corrected. It can be undone below." if is_changed else "That is what I remember already."
    )
    return redirect("triple", corrected.pk)


@require_POST
def decide(request: HttpRequest, conflict_id: int) -> HttpResponse:
    """Let the other side of a conflict hold."""
    conflict = or_404(lambda: selectors.conflicts_of(person(request.user)).get(pk=conflict_id))
    try:
        verdict = Verdict(request.POST.get("decision", ""))
    except ValueError:
        return HttpResponseBadRequest("The decision is one of: accept, reverse.")
    winner = conflict.old_id if verdict is Verdict.REVERSE else conflict.new_id
    try:
        conflict_decide(conflict=conflict, decision=verdict, by=person(request.user), seen=request.POST.get("seen", ""))
    except EditRefused as refusal:
        if request.htmx:
            fresh = selectors.conflicts_of(person(request.user)).get(pk=conflict_id)
            context = {"conflict": fresh, "fact": fresh.old, "refusal": str(refusal), "place": "again"}
            return render(request, "memory/_not_decided.html", context)
        return render_triple(request, owned(request, winner), refusal=str(refusal), status=422)
    if request.htmx:
        return outcome(request, "Decided. This holds:", fact=owned(request, winner))
    messages.success(request, "Decided. It can be undone below.")
    return redirect("triple", winner)


@require_POST
def undo(request: HttpRequest, edit_id: int) -> HttpResponse:
    edit = or_404(lambda: selectors.edits_of(person(request.user)).get(pk=edit_id))
    try:
        edit_undo(edit=edit, by=person(request.user))
    except EditRefused as refusal:
        if request.htmx:
            return refused(request, refusal, edit=edit if edit.can_undo else None)
        messages.error(request, str(refusal))
    else:
        if request.htmx:
            return outcome(request, "Undone.")
        messages.success(request, "Undone. Everything is as it was before.")
    return back_from(request, edit)


def back_from(request: HttpRequest, edit: EditRecord) -> HttpResponse:
    """Redirect to where the button was pressed: the fact's page if the fact exists, else the memory's, or the margin."""
    back = request.POST.get("back", "")
    if back == "space":
        return redirect("space-settings", edit.space_id)
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect(back)
    if back.isdecimal() and len(back) < 19:
        if selectors.triple_records_of(person(request.user)).filter(pk=int(back), space=edit.space_id).exists():
            return redirect("triple", int(back))
    return redirect("memory-panel", edit.space_id)
