"""Lets a request see the rows of its user's spaces; in the admin, where staff alone come, of all."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from memory.adapters.row_security.scope import EVERYTHING, NOTHING, Scope, current, enter, of_person, within


class ScopeMiddleware(MiddlewareMixin):
    """Stands behind the authentication. A token's user is known later: its authentication enters the scope by itself."""

    def process_request(self, request: HttpRequest) -> None:
        # The user is looked up within no scope: nobody is signed in before.
        request.scope_before = enter(NOTHING)  # type: ignore[attr-defined]
        enter(scope_of(request))

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if hasattr(request, "scope_before"):
            streaming_keep(response, current())
            enter(request.scope_before)
        return response


def scope_of(request: HttpRequest) -> Scope:
    user = request.user
    if not user.is_authenticated:
        return NOTHING
    is_admin = user.is_staff and user.is_active and request.path.startswith(reverse("admin:index"))
    return EVERYTHING if is_admin else of_person(user.pk)


def streaming_keep(response: HttpResponseBase, scope: Scope) -> None:
    """Let what is sent after this request has been answered see what the request saw."""
    if isinstance(response, StreamingHttpResponse):
        pieces: Any = response.streaming_content
        response.streaming_content = kept_async(pieces, scope) if response.is_async else kept(pieces, scope)


def kept(pieces: Iterator[bytes], scope: Scope) -> Iterator[bytes]:
    while True:
        with within(scope):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


async def kept_async(pieces: AsyncIterator[bytes], scope: Scope) -> AsyncIterator[bytes]:
    while True:
        with within(scope):
            piece = await anext(pieces, None)
        if piece is None:
            return
        yield piece
