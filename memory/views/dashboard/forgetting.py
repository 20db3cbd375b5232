"""Forgets many facts or sentences at once: a page that lists exactly what will be deleted, and a button."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from memory.models import Space
from memory.selectors.lists import FactStatus, facts_page, sentences_page
from memory.services.accounts import person
from memory.services.edits.audit import EditRefused
from memory.services.edits.forget_many import AT_ONCE, memory_forget, what_goes
from memory.services.edits.stamps import EditOutdated
from memory.views.dashboard.listing import asked_in, choice_in
from memory.views.dashboard.shell import shell, space_visible, turn_asked
from memory.views.dashboard.triples import back_to
from memory.views.rows import row_numbers

KINDS = ("triples", "sentences")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, space_id: int) -> HttpResponse:
    """Show what is deleted with the chosen facts or sentences, or with a whole list (`all`); delete it when confirmed."""
    space = space_visible(request, space_id)
    if request.method == "POST":
        return forgotten(request, space)
    kind = kind_of(request.GET.get("kind", ""))
    is_all = "all" in request.GET
    chosen = newest(request, space, kind) if is_all else row_numbers(request.GET.getlist("row"))
    return confirmation(request, space, kind, chosen, is_all=is_all)


def forgotten(request: HttpRequest, space: Space) -> HttpResponse:
    kind = kind_of(request.POST.get("kind", ""))
    chosen = row_numbers(request.POST.get("rows", "").split(","))
    with_words = "words" in request.POST
    try:
        going = memory_forget(
            space=space,
            by=person(request.user),
            with_words=with_words,
            seen=request.POST.get("seen", "") or "nothing was seen",
            **{kind: chosen},
        )
    except EditOutdated as refusal:
        return confirmation(request, space, kind, chosen, refusal=str(refusal), status=409)
    except EditRefused as refusal:
        return confirmation(request, space, kind, chosen[:AT_ONCE], refusal=str(refusal), status=422)
    said = f"Forgotten for good: {going.counted}." if going.counted else "It was gone already."
    messages.success(request, said)
    return redirect(back_to(request, reverse(f"space-{kind}", args=[space.pk])))


def confirmation(
    request: HttpRequest,
    space: Space,
    kind: str,
    chosen: list[int],
    *,
    is_all: bool = False,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    try:
        ways = [what_goes(space, with_words=with_words, **{kind: chosen}) for with_words in (False, True)]
    except EditRefused as error:
        ways, refusal, status = [], str(error), 422
    if kind == "sentences":
        ways = ways[:1]
    context = shell(request, space, kind) | {
        "kind": kind,
        "rows": ",".join(map(str, chosen)),
        "ways": [way for way in ways if not way.is_empty],
        "is_bounded": is_all and len(chosen) == AT_ONCE,
        "at_once": AT_ONCE,
        "refusal": refusal,
        "back": back_of(request, space, kind),
    }
    return render(request, "memory/dashboard/forget.html", context, status=status)


def newest(request: HttpRequest, space: Space, kind: str) -> list[int]:
    """Return the newest rows of the list at this address, as many as can be forgotten at once."""
    asked = asked_in(request, turn_asked(request, space, "as_of"))
    if kind == "sentences":
        return [row.pk for row in sentences_page(space, asked, size=AT_ONCE).rows]
    status = choice_in(request, "standing", FactStatus) or FactStatus.HOLDS
    return [row.pk for row in facts_page(space, asked, status=status, size=AT_ONCE).rows]


def back_of(request: HttpRequest, space: Space, kind: str) -> str:
    """Return the URL of the list that the reader came from, with its filters."""
    if request.method == "POST":
        return back_to(request, reverse(f"space-{kind}", args=[space.pk]))
    query = request.GET.copy()
    for name in ("kind", "all", "row"):
        query.pop(name, None)
    address = reverse(f"space-{kind}", args=[space.pk])
    return f"{address}?{query.urlencode()}" if query else address


def kind_of(text: str) -> str:
    return text if text in KINDS else KINDS[0]
