"""The log of acts: of a memory for its owners, of everything for administrators; as a page and as a table."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from memory.adapters.row_security.scope import EVERYTHING, enter
from memory.forms import ActsForm
from memory.models import ActRecord, Space
from memory.selectors.acts import ActsAsked, acts_csv, acts_of, name_of
from memory.selectors.pages import page_of
from memory.services.accounts import person
from memory.views.dashboard.listing import paged, with_values
from memory.views.downloads import download
from memory.views.own_pages import own_page
from memory.views.spaces import owned


@dataclass(frozen=True)
class ActLine:
    """An act as a line of the page. Without an actor it was the command line, or somebody who is not signed in."""

    act: ActRecord

    @property
    def by(self) -> str:
        return name_of(self.act, "actor") or ("Nobody signed in" if self.act.address else "The command line")

    @property
    def about(self) -> str:
        return name_of(self.act, "subject") if self.act.subject_id != self.act.actor_id else ""


@own_page
def space_acts(request: HttpRequest, space_id: int) -> HttpResponseBase:
    return render_acts(request, owned(request, space_id))


@own_page
def all_acts(request: HttpRequest) -> HttpResponseBase:
    if not person(request.user).is_staff:
        raise PermissionDenied
    enter(EVERYTHING)
    return render_acts(request, None)


def render_acts(request: HttpRequest, space: Space | None) -> HttpResponseBase:
    form = ActsForm(request.GET, space=space)
    is_valid = form.is_valid()
    acts = acts_of(space, ActsAsked(**form.cleaned_data)) if is_valid else ActRecord.objects.none()
    if is_valid and request.GET.get("form") == "csv":
        return download(acts_csv(acts), media_type="text/csv; charset=utf-8", name="log", suffix="csv")
    page = page_of(acts, before=request.GET.get("before", ""))
    context = {
        "place": "settings",
        "space": space,
        "form": form,
        "lines": [ActLine(act) for act in page.rows],
        "table": with_values(request, form="csv", before=""),
        **paged(request, page),
    }
    return render(request, "memory/acts.html", context, status=200 if is_valid else 422)
