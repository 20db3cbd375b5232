"""Which handshakes reach a consumer: those of the product's own pages, told as forms are."""

from __future__ import annotations

import pytest
from asgiref.testing import ApplicationCommunicator

from dsmart_web.addresses import told_by_proxies
from dsmart_web.asgi import application

NOT_FOUND, DENIED = 4404, None  # a consumer closes with a code, what stands before it with none
PROXY = [(b"x-forwarded-proto", b"https"), (b"x-forwarded-for", b"198.51.100.1")]


async def closed_with(
    origin: str | None, *, host: str = "localhost:8080", extra: list[tuple[bytes, bytes]] | None = None
) -> int | None:
    """Return the code, if any, with which a handshake without a session is closed."""
    headers = [(b"host", host.encode()), *(extra or [])]
    if origin is not None:
        headers.append((b"origin", origin.encode()))
    scope = {
        "type": "websocket", "path": "/ws/spaces/1/", "query_string": b"", "subprotocols": [], "scheme": "ws",
        "client": ("10.0.0.1", 1), "headers": headers,
    }  # fmt: skip
    browser = ApplicationCommunicator(told_by_proxies(application), scope)
    await browser.send_input({"type": "websocket.connect"})
    answer = await browser.receive_output(timeout=5)
    assert answer["type"] == "websocket.close"
    return answer.get("code")


@pytest.mark.parametrize(
    ("origin", "host", "code"),
    [
        ("http://localhost:8080", "localhost:8080", NOT_FOUND),
        ("http://localhost", "localhost", NOT_FOUND),
        ("http://[::1]:8080", "[::1]:8080", NOT_FOUND),
        ("http://localhost:9999", "localhost:8080", DENIED),
        ("http://localhost", "localhost:8080", DENIED),
        ("https://localhost:8080", "localhost:8080", DENIED),
        ("http://127.0.0.1:8080", "localhost:8080", DENIED),
        ("http://localhost:8080.evil.example", "localhost:8080", DENIED),
        ("http://[", "localhost:8080", DENIED),
        ("http://localhost:99999", "localhost:8080", DENIED),
        ("http://evil.example", "evil.example", DENIED),
        ("null", "localhost:8080", DENIED),
        ("", "localhost:8080", DENIED),
        (None, "localhost:8080", DENIED),
    ],
)
async def test_page_of_another_scheme_host_or_port_opens_no_socket(db, origin, host, code):
    assert await closed_with(origin, host=host) == code


@pytest.mark.parametrize(
    ("trusts", "origin", "code"),
    [
        (["10.0.0.0/8"], "https://localhost", NOT_FOUND),
        (["10.0.0.0/8"], "http://localhost", DENIED),
        (["192.0.2.7/32"], "https://localhost", DENIED),
        ([], "http://localhost", NOT_FOUND),
    ],
)
async def test_scheme_is_the_one_that_a_trusted_proxy_tells(db, settings, trusts, origin, code):
    settings.DSMART_TRUSTED_PROXIES = trusts
    assert await closed_with(origin, host="localhost", extra=PROXY) == code


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ("https://talk.example.org", NOT_FOUND),
        ("http://talk.example.org", DENIED),
        ("https://talk.example.org:8443", DENIED),
        ("https://a.far.example.org", NOT_FOUND),
    ],
)
async def test_trusted_origins_of_forms_are_those_of_sockets(db, settings, origin, code):
    settings.CSRF_TRUSTED_ORIGINS = ["https://talk.example.org", "https://*.far.example.org"]
    assert await closed_with(origin) == code


async def test_two_origins_are_none(db):
    assert await closed_with("http://localhost:8080", extra=[(b"origin", b"http://localhost:9999")]) == DENIED


async def test_cookie_that_is_not_text_opens_no_socket(db):
    cookie = (b"cookie", b'sessionid="abcdefgh\\000"')
    assert await closed_with("http://localhost:8080", extra=[cookie]) == DENIED
