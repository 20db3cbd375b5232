"""The palette: a menu of all pages and conversations."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from conversations import selectors
from conversations.views.history import words_in
from memory.views.own_pages import own_page

SHOWN = 8


@own_page
def palette(request: HttpRequest) -> HttpResponse:
    """Return the pages and conversations whose names contain the words, as options of a list."""
    query = words_in(request, limit=100)
    places = [
        ("New conversation", reverse("talk")),
        ("Memory", reverse("memory")),
        ("Evaluate: runs", reverse("evaluate")),
        ("Evaluate: new run", reverse("run-new")),
        ("Evaluate: trend of a figure", reverse("run-trend")),
        ("Evaluate: scores of conversations", reverse("run-live")),
        ("Review: projects", reverse("review")),
        ("Review: new project", reverse("review-new")),
        ("Review: team", reverse("review-teams")),
        ("All conversations", reverse("history")),
        ("Archived conversations", reverse("history") + "?archived=1"),
        ("Settings", reverse("settings")),
        ("API", reverse("api-docs")),
    ]
    named = selectors.conversations_of(request.user)
    if query:
        named = named.filter(title__icontains=query)
    context = {
        "query": query,
        "places": [place for place in places if query.casefold() in place[0].casefold()],
        "conversations": named[:SHOWN],
    }
    return render(request, "conversations/_palette.html", context)
