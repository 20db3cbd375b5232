"""Responses to requests that are refused unread: a sentence, as JSON for programs and as a page for people."""

from django.http import HttpResponse, JsonResponse
from django.template.loader import render_to_string

API = "/api/"


def refusal(path: str, *, status: int, reason: str) -> HttpResponse:
    if path.startswith(API):
        return JsonResponse({"detail": reason}, status=status)
    template = "503.html" if status == 503 else "400.html"
    return HttpResponse(render_to_string(template, {"reason": reason}), status=status)
