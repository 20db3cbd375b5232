"""Who asks: the address of a client, told by a proxy only where that proxy is trusted (`DSMART_TRUSTED_PROXIES`)."""

from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

UNKNOWN = "local"


def client_address(request: HttpRequest) -> str:
    """Return the address that a request came from; `UNKNOWN` where it came over no network."""
    return request.META.get("REMOTE_ADDR") or UNKNOWN


def is_trusted(scope: dict[str, Any]) -> bool:
    """Return whether the peer itself, whatever it says of others, is a trusted proxy."""
    try:
        peer = ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return False
    return any(peer in ip_network(network) for network in settings.DSMART_TRUSTED_PROXIES)


def told_by_proxies(app: Any) -> Any:
    """Put the client's address and scheme into the scope, as the trusted proxies before it tell them.

    `X-Forwarded-For` is read from its right end, past trusted proxies; of an untrusted peer it and `X-Forwarded-Proto` are
    left unread.
    """
    return ProxyHeadersMiddleware(app, settings.DSMART_TRUSTED_PROXIES)
