"""The knowledge bases of a space: what there is, bringing a small file in, looking something up, taking a base away."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from memory.core.errors import KnowledgeRefused, QuotaReached
from memory.forms import KnowledgeForm
from memory.models import KnowledgeBaseRecord, Space
from memory.selectors.knowledge import State, entities_starting_with, knowledge_bases_of
from memory.services.accounts import person
from memory.services.knowledge import knowledge_promise_removal, knowledge_upload
from memory.services.knowledge.bases import UPLOAD_LIMIT
from memory.views.dashboard.listing import with_values, words_in
from memory.views.dashboard.shell import shell, space_visible
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404


@own_page
def knowledge(request: HttpRequest, space_id: int) -> HttpResponse:
    return render_knowledge(request, space_visible(request, space_id))


def render_knowledge(
    request: HttpRequest, space: Space, *, form: KnowledgeForm | None = None, refusal: str = ""
) -> HttpResponse:
    """Show the bases, with what is looked for in them; a refusal is shown beside the upload."""
    bases = list(knowledge_bases_of(person(request.user)).filter(space=space).order_by("name", "pk"))
    ready = [base for base in bases if base.state == State.READY]
    chosen = number_in(request, "base")
    base = or_404(lambda: knowledge_base_in(request, space, chosen)) if chosen is not None else None
    sought = words_in(request, "q")
    found = entities_starting_with(space, sought, base=base, after=number_in(request, "after")) if sought else None
    context = shell(request, space, "knowledge") | {
        "bases": bases,
        "ready": ready,
        "is_working": any(one.state in (State.IMPORTING, State.REMOVING) for one in bases),
        "base": base,
        "sought": sought,
        "found": found,
        "more": with_values(request, after=str(found.after)) if found is not None and found.after else "",
        "form": form,
        "refusal": refusal,
        "megabytes": UPLOAD_LIMIT // 1024 // 1024,
        "address": reverse("space-knowledge", args=[space.pk]),
    }
    is_refused = bool(refusal) or form is not None
    return render(request, "memory/dashboard/knowledge.html", context, status=422 if is_refused else 200)


def knowledge_base_in(request: HttpRequest, space: Space, base_id: int) -> KnowledgeBaseRecord:
    return knowledge_bases_of(person(request.user)).get(space=space, pk=base_id)


@require_POST
def upload(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    form = KnowledgeForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_knowledge(request, space, form=form)
    file = form.cleaned_data["file"]
    try:
        base = knowledge_upload(
            space=space,
            content=file.read(UPLOAD_LIMIT + 1),
            file_name=file.name or "",
            name=form.cleaned_data["name"],
            licence=form.cleaned_data["licence"],
        )
    except (KnowledgeRefused, QuotaReached) as refusal:
        return render_knowledge(request, space, form=form, refusal=str(refusal))
    messages.success(request, f"{base.name} is being brought in.")
    return redirect("space-knowledge", space.pk)


@require_POST
def remove(request: HttpRequest, space_id: int, base_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    base = or_404(lambda: knowledge_base_in(request, space, base_id))
    knowledge_promise_removal(base=base)
    messages.success(request, f"{base.name} is removed: no reply rests on it any more.")
    return redirect("space-knowledge", space.pk)
