"""The project's model cards, for readers who wonder how far a label can be trusted."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from conversations.markdown import render as markdown

NOTES = settings.BASE_DIR / "docs" / "entailment.md"


@require_safe
def entailment(request: HttpRequest) -> HttpResponse:
    """Show the model cards of the models that judge replies."""
    if not NOTES.is_file():
        raise Http404
    words = markdown(NOTES.read_text(encoding="utf-8"))
    return render(
        request, "evaluation/notes.html", {"title": "How replies are judged", "words": words, "place": "memory"}
    )
