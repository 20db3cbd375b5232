"""The entities of a space: a list, and a page for each, on which it is renamed, merged and split."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from memory import selectors
from memory.models import EntityRecord, TripleRecord
from memory.selectors.choices import choices_in
from memory.selectors.lists import Asked, FactStatus, entities_page, facts_page
from memory.services.accounts import person
from memory.services.edits.audit import EditRefused
from memory.services.edits.merge import entities_merge, entity_split
from memory.services.edits.rename import entity_rename
from memory.views.dashboard.listing import listing, paged, words_in
from memory.views.dashboard.shell import shell, space_visible
from memory.views.own_pages import own_page
from memory.views.rows import or_404, row_number, row_numbers

EDITS = 10
OFFERED = 10


@own_page
def entities(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "entities")
    kind = words_in(request, "kind")[:60]
    page = entities_page(person(request.user), space, context["asked"], kind=kind, before=context["before"])
    context |= paged(request, page)
    context |= {
        "choices": choices_in(space, "kind"),
        "kind": kind,
        "is_filtered": bool(context["asked"].text or kind),
    }
    return render(request, "memory/dashboard/entities.html", context)


def owned(request: HttpRequest, entity_id: int) -> EntityRecord:
    return or_404(lambda: selectors.entity_record_of(person(request.user), entity_id))


@own_page
def entity(request: HttpRequest, entity_id: int) -> HttpResponse:
    return render_entity(request, owned(request, entity_id))


def render_entity(
    request: HttpRequest, row: EntityRecord, *, refusal: str = "", about: str = "", status: int = 200
) -> HttpResponse:
    """Show an entity; a refusal is shown beside its form (`about`), with what the person typed."""
    space = space_visible(request, row.space_id)
    edits = selectors.edits_of(person(request.user)).filter(space=space, undo__about__entity__contains=[row.pk])
    sought = words_in(request, "with") or request.POST.get("with", "")[:200]
    context = shell(request, space, "entities")
    about_it = Asked(entity=row.pk, as_of=context["as_of"])
    page = facts_page(space, about_it, status=FactStatus.ANY, before=request.GET.get("before", "")[:50])
    context |= paged(request, page)
    context |= {
        "entity": row,
        "address": request.get_full_path(),
        "edits": list(edits.order_by("-pk")[:EDITS]),
        "sought": sought,
        "others": others(request, row, sought) if sought else [],
        "refusal": refusal,
        "about": about,
        "written": request.POST,
        "names_chosen": request.POST.getlist("alias"),
        "picked": row_numbers(request.POST.getlist("triple")),
    }
    return render(request, "memory/dashboard/entity.html", context, status=status)


def others(request: HttpRequest, row: EntityRecord, sought: str) -> list[EntityRecord]:
    """Return other entities of the space with this name, to merge with."""
    page = entities_page(person(request.user), row.space, Asked(text=sought), size=OFFERED + 1)
    return [other for other in page.rows if other.pk != row.pk][:OFFERED]


def changed(request: HttpRequest, row: EntityRecord, about: str, change: Callable[[], EntityRecord]) -> HttpResponse:
    """Make a change and redirect to the entity, or show why it was refused, with what the person typed."""
    try:
        result = change()
    except EditRefused as refusal:
        fresh = owned(request, row.pk)
        return render_entity(request, fresh, refusal=str(refusal), about=about, status=422)
    except EntityRecord.DoesNotExist as error:
        raise Http404 from error
    messages.success(request, "Done. It can be undone below.")
    return redirect("entity", result.pk)


@require_POST
def rename(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Change the label of an entity, add names and remove names."""
    row = owned(request, entity_id)
    also = request.POST.get("also", "").strip()
    return changed(
        request,
        row,
        "rename",
        lambda: entity_rename(
            entity=row,
            by=person(request.user),
            label=request.POST.get("label"),
            aliases_add=[also] if also else (),
            aliases_remove=request.POST.getlist("remove"),
            seen=request.POST.get("seen", ""),
        ),
    )


@require_POST
def merge(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Move all triples and names of another entity to this one."""
    row = owned(request, entity_id)
    number = row_number(request.POST.get("entity", ""))
    if number is None:
        return render_entity(request, row, refusal="Choose the other one first.", about="merge", status=422)
    gone = owned(request, number)
    return changed(
        request,
        row,
        "merge",
        lambda: entities_merge(
            space=row.space, keep=row, gone=gone, by=person(request.user), seen=request.POST.get("seen", "")
        ),
    )


@require_POST
def split(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Move chosen facts and names of this entity to a new one."""
    row = owned(request, entity_id)
    chosen = row_numbers(request.POST.getlist("triple"))
    known = TripleRecord.objects.filter(space=row.space_id, pk__in=chosen)
    return changed(
        request,
        row,
        "split",
        lambda: entity_split(
            space=row.space,
            entity=row,
            label=request.POST.get("label", ""),
            by=person(request.user),
            triples=list(known.values_list("pk", flat=True)),
            aliases=request.POST.getlist("alias"),
            seen=request.POST.get("seen", ""),
        ),
    )
