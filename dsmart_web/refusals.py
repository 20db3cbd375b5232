"""Responses to requests that are refused unread: a sentence, as JSON for programs and as a page for people."""

from django.http import HttpResponse, JsonResponse
from django.template.loader import render_to_string

from conversations.doors.openai.refusals import Refused

API = "/api/"
OPENAI = "/v1/"
MCP = "/mcp"
PROGRAMS = (API, OPENAI, MCP)


def refusal(path: str, *, status: int, reason: str) -> HttpResponse:
    if path.startswith(OPENAI):
        return JsonResponse(Refused(reason, status=status).body, status=status)
    if path.startswith(PROGRAMS):
        return JsonResponse({"detail": reason}, status=status)
    template = "503.html" if status == 503 else "400.html"
    return HttpResponse(render_to_string(template, {"reason": reason}), status=status)
