"""The digests of a space (SGMem, section 3.3): summaries, facts and insights, to read and to forget."""

from enum import StrEnum

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from memory.models import DigestRecord
from memory.selectors.choices import choices_in, engine_labels
from memory.selectors.lists import SOURCES, TOLD, digests_page
from memory.services.accounts import person
from memory.services.edits.forget import digest_forget
from memory.views.dashboard.listing import choice_in, listing, paged
from memory.views.dashboard.shell import space_visible
from memory.views.dashboard.triples import back_to
from memory.views.own_pages import own_page
from memory.views.rows import or_404


class Kind(StrEnum):
    """The values of the URL parameter for kinds, equal to those of the rows."""

    FACT = DigestRecord.Kind.FACT.value
    SUMMARY = DigestRecord.Kind.SUMMARY.value
    INSIGHT = DigestRecord.Kind.INSIGHT.value


KINDS = (
    (Kind.FACT, "facts", "One thing that was said, put so that it can be understood by itself."),
    (Kind.SUMMARY, "summaries", "What a whole conversation was about."),
    (Kind.INSIGHT, "insights", "What several facts show together."),
)


@own_page
def digests(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "digests")
    kind, asked = choice_in(request, "kind", Kind), context["asked"]
    context |= paged(request, digests_page(space, asked, kind=kind or "", before=context["before"]))
    context |= {
        "choices": choices_in(space, "session"),
        "kinds": KINDS,
        "kind": kind,
        "sources_shown": SOURCES,
        "told_shown": TOLD,
        "is_filtered": bool(asked.text or kind or asked.session),
    }
    shown = context["page"].rows
    labels = engine_labels(digest.engine for digest in shown)
    for digest in shown:
        digest.written_by = labels[digest.engine]
    return render(request, "memory/dashboard/digests.html", context)


@require_POST
def forget(request: HttpRequest, space_id: int, digest_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    digest = or_404(lambda: DigestRecord.objects.defer("embedding").get(pk=digest_id, space=space))
    digest_forget(digest=digest, by=person(request.user))
    if not request.htmx:
        messages.success(request, "Forgotten for good.")
    return redirect(back_to(request, reverse("space-digests", args=[space.pk])))
