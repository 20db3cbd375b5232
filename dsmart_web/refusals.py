"""Answers to requests that fail: a sentence, as JSON for programs and as a page for people."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from conversations.doors.callers import NOT_SERVED
from conversations.doors.openai.refusals import INVALID, Refused

API = "/api/"
OPENAI = "/v1/"
MCP = "/mcp/"
PROGRAMS = (API, OPENAI, MCP)
NOT_READ = "The request could not be read. Look at its address and its headers, and send it again."
NOT_ALLOWED = "You may not do this here."
BROKEN = "Something went wrong on our side. The server log has the reason."


def refusal(path: str, *, status: int, reason: str) -> HttpResponse:
    if is_under(path, OPENAI):
        kind = "server_error" if status >= 500 else INVALID
        return JsonResponse(Refused(reason, status=status, kind=kind).body, status=status)
    if is_under(path, *PROGRAMS):
        return JsonResponse({"detail": reason}, status=status)
    template = "503.html" if status == 503 else "400.html"
    return HttpResponse(render_to_string(template, {"reason": reason}), status=status)


def is_under(path: str, *addresses: str) -> bool:
    return f"{path}/".startswith(addresses)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = NOT_SERVED if isinstance(exception, DisallowedHost) else NOT_READ
    return said(request, 400, reason, defaults.bad_request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return said(request, 403, NOT_ALLOWED, defaults.permission_denied, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    doors = {OPENAI: "/v1/chat/completions and /v1/models", MCP: "/mcp"}
    known = next((said for door, said in doors.items() if is_under(request.path, door)), "the addresses of /api/docs/")
    reason = f"There is no {request.path} here. What there is: {known}."
    return said(request, 404, reason, defaults.page_not_found, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    return said(request, 500, BROKEN, defaults.server_error)


def said(
    request: HttpRequest, status: int, reason: str, page: Callable[..., HttpResponse], *exception: Any
) -> HttpResponse:
    """Answer a request that failed: with the reason as JSON for a program, with a page for a person."""
    if is_under(request.path, *PROGRAMS):
        return refusal(request.path, status=status, reason=reason)
    return page(request, *exception)
