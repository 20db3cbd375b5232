"""Refuses requests with characters that no text has (NUL, lone surrogates)."""

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from dsmart_web.refusals import PROGRAMS, is_under, refusal
from memory.core.plain_text import NOT_PLAIN, is_plain


class PlainTextMiddleware(MiddlewareMixin):
    """Checks the path, the query, the headers and the form of a request; API parsers check its body."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        headers = [*request.headers.values(), *request.COOKIES.items()]
        return checked(request, [request.path, *request.GET.lists(), *headers])

    def process_view(self, request: HttpRequest, *view: object) -> HttpResponse | None:
        if is_under(request.path, *PROGRAMS):
            return None
        names = [(field, file.name) for field, files in request.FILES.lists() for file in files]
        return checked(request, [*request.POST.lists(), *names])


def checked(request: HttpRequest, given: Iterable[object]) -> HttpResponse | None:
    return None if is_plain(list(given)) else refusal(request.path, status=400, reason=NOT_PLAIN)
