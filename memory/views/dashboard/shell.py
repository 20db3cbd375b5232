"""What every page of a space's dashboard shares: the space, the tabs, and the turn as of which all tabs show it."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import NoReverseMatch, reverse

from memory import selectors
from memory.models import Space, Turn
from memory.services import space_personal
from memory.services.accounts import person
from memory.views.own_pages import own_page
from memory.views.rows import number_in, or_404

# The name of a tab in addresses, its label, and what a reader finds there.
TABS = (
    ("graph", "Graph", "Facts as a picture: people and things, and what holds between them"),
    ("timeline", "Timeline", "A conversation round by round: what it changed, and how the replies were scored"),
    ("conflicts", "Conflicts", "What contradicted what, and what was decided"),
    ("triples", "Facts", "What was read from what was said"),
    ("sentences", "Sentences", "What was said, sentence by sentence"),
    ("sentence-graph", "Neighbours", "Sentences as a picture: which are near to each other in meaning"),
    ("digests", "Digests", "Summaries, facts and insights that were written from what was said"),
    ("entities", "Entities", "People, places and things that are spoken of"),
    ("tasks", "Tasks", "What each conversation is after: what is known, open, assumed and required"),
    ("knowledge", "Knowledge", "Knowledge bases from elsewhere: facts and texts that replies may rest on"),
    ("unknowns", "Unknowns", "What you asked and nobody has told yet"),
    ("reasoning", "Reasoning", "The searches behind the replies"),
)
# What of an address means the same on every tab.
SHARED = ("as_of", "session")


@own_page
def memory(request: HttpRequest) -> HttpResponse:
    """Redirect to the dashboard of the user's own space."""
    user = person(request.user)
    return redirect("space-memory", (selectors.space_at_home(user) or space_personal(user=user)).pk)


@own_page
def space_memory(request: HttpRequest, space_id: int) -> HttpResponse:
    """Redirect to the first tab of a space, as of the same turn."""
    space = space_visible(request, space_id)
    asked = request.GET.urlencode()
    return redirect(reverse("space-graph", args=[space.pk]) + (f"?{asked}" if asked else ""))


def space_visible(request: HttpRequest, space_id: int) -> Space:
    """Return one of the user's spaces, with the others for `shell`. Raises `Http404` for any other space."""
    return or_404(lambda: selectors.space_among(person(request.user), space_id))


def shell(request: HttpRequest, space: Space, tab: str) -> dict[str, Any]:
    """Return the context of the dashboard's header; `as_of` is the URL's turn, or None for now.

    Raises `Http404` for a turn that is not the space's.
    """
    turn = turn_asked(request, space, "as_of")
    moment = selectors.moment_in(space, turn)
    return {
        "place": "memory",
        "space": space,
        "spaces": [(other["id"], other["name"], address_of(tab, other["id"], "")) for other in space.known],
        "tab": tab,
        "tabs": [
            (name, label, what, address)
            for name, label, what in TABS
            if (address := address_of(name, space.pk, kept(request)))
        ],
        "as_of": turn,
        "moment": moment,
        "line": ",".join(str(stop.turn_id) for stop in moment.stops),
        "steps": {
            "before": with_turn(request, moment.before) if moment.before is not None else None,
            "after": with_turn(request, moment.after) if moment.after is not None else None,
            "now": with_turn(request, None),
        },
    }


def turn_asked(request: HttpRequest, space: Space, name: str) -> Turn | None:
    """Return the turn of the space that a URL parameter names, or None where it is absent or empty."""
    asked = number_in(request, name)
    if asked is None:
        return None
    return or_404(lambda: selectors.turn_in(person(request.user), space, asked))


def view_asked(request: HttpRequest) -> str:
    """Return as what a page shows its graph: "table" or "picture" whatever its width, or "" for what fits."""
    asked = request.GET.get("view", "")
    return asked if asked in {"table", "picture"} else ""


def address_of(tab: str, space_id: int, query: str) -> str:
    """Return the URL of a tab; empty where the product has no such tab."""
    try:
        return reverse(f"space-{tab}", args=[space_id]) + query
    except NoReverseMatch:
        return ""


def kept(request: HttpRequest) -> str:
    """Return the URL parameters that are kept when the reader goes to another tab."""
    shared = QueryDict(mutable=True)
    for name in SHARED:
        if value := request.GET.get(name, ""):
            shared[name] = value[:40]
    return f"?{shared.urlencode()}" if shared else ""


def with_turn(request: HttpRequest, turn_id: int | None) -> str:
    """Return the same URL as of another turn, or of now."""
    query = request.GET.copy()
    query.pop("as_of", None)
    if turn_id is not None:
        query["as_of"] = str(turn_id)
    return f"{request.path}?{query.urlencode()}" if query else request.path
