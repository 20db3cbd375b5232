"""The list of conversations, and the search in their words."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from conversations import selectors
from conversations.forms import ImportForm
from memory.views.own_pages import own_page

PAGE = 40


def list_page(user: User, *, page: int = 1, archived: bool = False) -> dict[str, Any]:
    """Return a page of the user's conversations, newest first, and the number of the next page or None."""
    start = (page - 1) * PAGE
    found = list(selectors.conversations_of(user, archived=archived)[start : start + PAGE + 1])
    return {"conversations": found[:PAGE], "next_page": page + 1 if len(found) > PAGE else None}


def words_in(request: HttpRequest, *, limit: int) -> str:
    return request.GET.get("q", "").strip()[:limit]


def page_in(request: HttpRequest) -> int:
    value = request.GET.get("page", "1")
    return min(max(int(value), 1), 10_000) if value.isdecimal() and len(value) < 6 else 1


@own_page
def conversation_list(request: HttpRequest) -> HttpResponse:
    """Return the list of the left column, or the results of a search in it."""
    query = words_in(request, limit=200)
    current = request.GET.get("current", "")
    context: dict[str, Any] = {
        "query": query,
        "current": int(current) if current.isdecimal() and len(current) < 20 else None,
    }
    if query:
        context["hits"] = selectors.conversations_matching(request.user, query)
    else:
        context |= list_page(request.user, page=page_in(request))
    return render(request, "conversations/_list.html", context)


@own_page
def history(request: HttpRequest) -> HttpResponse:
    """Show all conversations, the archived ones, or the results of a search, on a page of their own."""
    query = words_in(request, limit=200)
    archived = request.GET.get("archived") == "1"
    context: dict[str, Any] = {"place": "history", "query": query, "archived": archived, "import_form": ImportForm()}
    if query:
        context["hits"] = selectors.conversations_matching(request.user, query)
    else:
        context |= list_page(request.user, page=page_in(request), archived=archived)
    return render(request, "conversations/history.html", context)
