"""Where a request comes from."""

from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address of the request's client; "" where it came through a Unix socket."""
    return str(request.META.get("REMOTE_ADDR") or "")
