"""What the dashboard's lists share: reading filters from the URL, links to the next page, the offer to undo."""

from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from django.http import HttpRequest
from django.utils import timezone

from memory.models import EditRecord, Space, Turn
from memory.selectors.lists import Asked, edits_lately
from memory.selectors.pages import Page
from memory.services.accounts import person
from memory.views.dashboard.shell import shell
from memory.views.rows import number_in

LONGEST = 200
# For this long a list offers to undo what its reader changed last.
JUST_NOW = timedelta(minutes=10)
Choice = TypeVar("Choice", bound=StrEnum)


def words_in(request: HttpRequest, name: str) -> str:
    """Return a URL parameter as one line of text of at most a fixed number of characters."""
    return " ".join(request.GET.get(name, "").split())[:LONGEST]


def choice_in(request: HttpRequest, name: str, choices: type[Choice]) -> Choice | None:
    """Return a URL parameter as one of the choices; None for any other value."""
    text = request.GET.get(name, "")
    return choices(text) if text in set(choices) else None


def asked_in(request: HttpRequest, as_of: Turn | None) -> Asked:
    return Asked(
        text=words_in(request, "q"),
        entity=number_in(request, "entity"),
        predicate=words_in(request, "predicate"),
        speaker=words_in(request, "speaker"),
        session=number_in(request, "session"),
        as_of=as_of,
        is_all=request.GET.get("asking") == "1",
    )


def listing(request: HttpRequest, space: Space, tab: str) -> dict[str, Any]:
    """Return the context of a list: the dashboard's header, what is asked for, and what was changed by hand just now."""
    context = shell(request, space, tab)
    edits = edits_lately(person(request.user), space)
    return context | {
        "asked": asked_in(request, context["as_of"]),
        "before": request.GET.get("before", "")[:50],
        "edits": edits,
        "lately": just_changed(request, edits),
        "address": request.get_full_path(),
    }


def just_changed(request: HttpRequest, edits: list[EditRecord]) -> EditRecord | None:
    """Return the reader's last edit if it was just now and can be undone."""
    mine = next((edit for edit in edits if edit.actor_id == request.user.pk), None)
    is_open = mine is not None and mine.can_undo and mine.created_at > timezone.now() - JUST_NOW
    return mine if is_open else None


def paged(request: HttpRequest, page: Page[Any]) -> dict[str, Any]:
    """Return a page of rows with the addresses of the next one and of the first."""
    return {
        "page": page,
        "older": with_values(request, before=page.older) if page.older else "",
        "newest": with_values(request, before="") if request.GET.get("before") else "",
    }


def with_values(request: HttpRequest, **values: str) -> str:
    """Return the URL with some of its parameters changed; an empty value removes one."""
    query = request.GET.copy()
    for name, value in values.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"{request.path}?{query.urlencode()}" if query else request.path
