"""The facts of a space as a list, filtered by words, entity, predicate, speaker, status, session and turn."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from memory.models import EntityRecord
from memory.selectors.choices import choices_in
from memory.selectors.lists import FactStatus, facts_page, held_page
from memory.services.accounts import person
from memory.services.edits.audit import EditRefused
from memory.services.edits.declare import predicate_declare
from memory.views.dashboard.listing import choice_in, listing, paged
from memory.views.dashboard.shell import space_visible
from memory.views.own_pages import own_page

# What was said and not taken over is no fact; it is found among them all the same.
HELD = "held"
STANDINGS = (
    (FactStatus.HOLDS, "holds"),
    (FactStatus.REPLACED, "was replaced or taken back"),
    (FactStatus.PLANNED, "is planned"),
    (FactStatus.DENIED, "is denied"),
    (FactStatus.REPORTED, "was only told"),
    (FactStatus.SUPPOSED, "was only wished or supposed"),
    (FactStatus.UNSURE, "waits for your yes or no"),
    (HELD, "was not taken over"),
    (FactStatus.ANY, "anything"),
)


@own_page
def triples(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "triples")
    asked, before = context["asked"], context["before"]
    is_held = request.GET.get("standing") == HELD
    status = choice_in(request, "standing", FactStatus) or FactStatus.HOLDS
    entity = EntityRecord.objects.filter(space=space, pk=asked.entity).first() if asked.entity is not None else None
    if asked.entity is not None and entity is None:
        raise Http404
    if is_held:
        context |= paged(request, held_page(space, asked, before=before))
    else:
        context |= paged(request, facts_page(space, asked, status=status, before=before))
    choices = choices_in(space, "predicate", "said_by", "declared", "session")
    context |= {
        "choices": choices,
        "entity": entity,
        "predicate": next((one for one in choices.predicates if one.name == asked.predicate), None),
        "standings": STANDINGS,
        "standing": HELD if is_held else status,
        "is_held": is_held,
        "is_filtered": bool(asked.text or entity or asked.predicate or asked.speaker or asked.session),
    }
    return render(request, "memory/dashboard/triples.html", context)


@require_POST
def declare(request: HttpRequest, space_id: int) -> HttpResponse:
    """Declare whether a predicate has one value at a time in this space."""
    space = space_visible(request, space_id)
    try:
        predicate_declare(
            space=space,
            name=request.POST.get("predicate", ""),
            is_functional=request.POST.get("values") == "one",
            by=person(request.user),
        )
    except EditRefused as refusal:
        return refused(request, refusal, back=reverse("space-triples", args=[space.pk]))
    return redirect(back_to(request, reverse("space-triples", args=[space.pk])))


def refused(request: HttpRequest, refusal: EditRefused, *, back: str) -> HttpResponse:
    """Show why a change was not made, with a link back."""
    context = {"refusal": str(refusal), "back": back_to(request, back), "place": "memory"}
    return render(request, "memory/dashboard/refused.html", context, status=422)


def back_to(request: HttpRequest, otherwise: str) -> str:
    """Return the URL of the page on which a button was pressed, if it is one of the product's."""
    back = request.POST.get("back", "")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_ours else otherwise
