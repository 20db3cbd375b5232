"""The sentences of a space as a list, each with the facts that were extracted from it.

Sentences that only ask and the product's replies are left out until the reader asks for them.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memory.selectors.choices import choices_in
from memory.selectors.lists import COUNTED, no_evidence_count, sentences_page
from memory.views.dashboard.listing import listing, paged, with_values
from memory.views.dashboard.shell import space_visible
from memory.views.own_pages import own_page


@own_page
def sentences(request: HttpRequest, space_id: int) -> HttpResponse:
    space = space_visible(request, space_id)
    context = listing(request, space, "sentences")
    asked = context["asked"]
    asking = no_evidence_count(space, asked)
    context |= paged(request, sentences_page(space, asked, before=context["before"]))
    context |= {
        "choices": choices_in(space, "speaker", "session"),
        "everything": with_values(request, asking="1", before=""),
        "asking": f"{COUNTED}+" if asking > COUNTED else asking,
        "is_filtered": bool(asked.text or asked.speaker or asked.session),
    }
    return render(request, "memory/dashboard/sentences.html", context)
