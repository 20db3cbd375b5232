"""Whose address counts: that of the peer, or what a trusted proxy tells of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from dsmart_web import environment
from dsmart_web.addresses import client_address, is_trusted, told_by_proxies

PROXIES = ["10.0.0.0/8", "192.0.2.7/32", "fd00::/8"]


async def seen(peer: str, *headers: tuple[str, str], kind: str = "http") -> tuple[str, str]:
    """Return the client and the scheme that the application is told."""
    told: list[tuple[str, str]] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        told.append((scope["client"][0], scope["scheme"]))

    given = [(name.encode(), value.encode()) for name, value in headers]
    scheme = "ws" if kind == "websocket" else "http"
    await told_by_proxies(app)({"type": kind, "client": (peer, 1), "scheme": scheme, "headers": given}, None, None)
    return told[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # whoever says so without being trusted
        ("10.1.2.3", "198.51.100.1", "198.51.100.1"),
        ("10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # what the client itself wrote is at the left
        ("10.1.2.3", "1.1.1.1, 198.51.100.1, 192.0.2.7", "198.51.100.1"),
        ("fd00::1", "2001:db8::5", "2001:db8::5"),
        ("10.1.2.3", "10.0.0.9, 10.0.0.8", "10.0.0.9"),  # only proxies: the one that is farthest away
        ("192.0.2.8", "198.51.100.1", "192.0.2.8"),
    ],
)
async def test_client_is_told_by_trusted_proxies_alone_from_the_right(settings, peer, forwarded, client) -> None:
    settings.DSMART_TRUSTED_PROXIES = PROXIES
    assert (await seen(peer, ("x-forwarded-for", forwarded)))[0] == client


async def test_two_headers_are_read_as_one(settings) -> None:
    settings.DSMART_TRUSTED_PROXIES = PROXIES
    given = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "198.51.100.1")]
    assert (await seen("10.1.2.3", *given))[0] == "198.51.100.1"


@pytest.mark.parametrize(("peer", "schemes"), [("10.1.2.3", ("https", "wss")), ("203.0.113.9", ("http", "ws"))])
async def test_scheme_is_told_by_trusted_proxies_alone(settings, peer, schemes) -> None:
    settings.DSMART_TRUSTED_PROXIES = PROXIES
    header = ("x-forwarded-proto", "https")
    assert ((await seen(peer, header))[1], (await seen(peer, header, kind="websocket"))[1]) == schemes


async def test_nobody_is_trusted_where_no_proxy_is_named(settings) -> None:
    settings.DSMART_TRUSTED_PROXIES = []
    given = [("x-forwarded-for", "198.51.100.1"), ("x-forwarded-proto", "https")]
    assert await seen("127.0.0.1", *given) == ("127.0.0.1", "http")
    assert not is_trusted({"client": ("127.0.0.1", 1)})


@pytest.mark.parametrize("scope", [{}, {"client": None}, {"client": ("", 0)}, {"client": ("a socket", 0)}])
def test_peer_without_an_address_is_not_trusted(settings, scope) -> None:
    settings.DSMART_TRUSTED_PROXIES = ["0.0.0.0/0"]
    assert not is_trusted(scope)


def test_client_address_of_a_request_is_a_word_where_there_is_no_network(rf) -> None:
    assert client_address(rf.get("/", REMOTE_ADDR="203.0.113.9")) == "203.0.113.9"
    assert client_address(rf.get("/", REMOTE_ADDR="")) == "local"


@pytest.mark.parametrize("value", ["10.0.0.0/33", "proxy.example.org", "10.0.0.1/8", "*"])
def test_proxy_that_is_no_network_is_refused_by_name(monkeypatch, value) -> None:
    monkeypatch.setenv("DSMART_TRUSTED_PROXIES", f"192.0.2.0/24, {value}")
    with pytest.raises(ImproperlyConfigured, match=r"DSMART_TRUSTED_PROXIES is .*Set it to networks such as"):
        environment.networks("DSMART_TRUSTED_PROXIES")


def test_single_address_is_a_network_of_its_own(monkeypatch) -> None:
    monkeypatch.setenv("DSMART_TRUSTED_PROXIES", " 192.0.2.7 ,10.0.0.0/8,::1")
    assert environment.networks("DSMART_TRUSTED_PROXIES") == ["192.0.2.7/32", "10.0.0.0/8", "::1/128"]
