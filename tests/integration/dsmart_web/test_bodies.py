"""Bodies of requests: bounded before they are kept, by what they declare and by what comes."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dsmart_web import bodies
from dsmart_web.bodies import ANONYMOUS_BYTES, BoundedBodies
from dsmart_web.management.commands import serve
from memory.services.tokens import token_make
from tests.product import served_here

pytestmark = pytest.mark.django_db(transaction=True)
PIECE = b"x" * 16 * 1024
MB = 1024 * 1024


class Kept:
    """An application that keeps the body, as Django does, and notes what it was given."""

    def __init__(self) -> None:
        self.body: bytes | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message["body"]
            if not message["more_body"]:
                break
        self.body = body
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"kept"})


async def post(path: str, size: int, *, headers: dict[str, str] | None = None, declared: int | None = None) -> Any:
    """Return what is answered to a body in pieces, how much of it the application kept, and how much was asked for."""
    app, sent, asked = Kept(), [], 0
    given = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    if declared is not None:
        given.append((b"content-length", str(declared).encode()))

    async def receive() -> dict[str, Any]:
        nonlocal asked
        piece = min(len(PIECE), size - asked)
        asked += piece
        return {"type": "http.request", "body": PIECE[:piece], "more_body": asked < size}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "headers": given, "query_string": b""}
    await BoundedBodies(app)(scope, receive, send)
    text = b"".join(message.get("body", b"") for message in sent).decode()
    return sent[0]["status"], text, None if app.body is None else len(app.body)


@pytest.fixture
def ana(db) -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def signed_in(ana) -> dict[str, dict[str, str]]:
    browser = Client()
    browser.force_login(ana)
    return {
        "session": {"cookie": f"sessionid={browser.session.session_key}"},
        "token": {"authorization": f"Token {token_make(user=ana)}"},
    }


@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "chunked"])
async def test_anonymous_body_is_bounded(db, is_declared):
    for size, status in ((ANONYMOUS_BYTES, 200), (ANONYMOUS_BYTES + 1, 413)):
        declared = size if is_declared else None
        answer = await post("/sign-in/", size, declared=declared)
        assert (answer[0], answer[2]) == (status, size if status == 200 else None)
    assert "This is too large. At most 64 KB can be sent here. Sign in to send more." in answer[1]


@pytest.mark.parametrize("who", ["session", "token"])
async def test_body_of_who_is_signed_in_is_bounded_by_the_address(signed_in, who, settings):
    settings.DSMART_IMPORT_MB, settings.DSMART_CHATS_MB, settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 2, 3, MB
    headers = signed_in[who]
    limits = {"/api/spaces/1/graph/": 2 * MB + 64 * 1024, "/settings/spaces/1/graph/": 2 * MB + 64 * 1024}
    limits |= dict.fromkeys(("/c/import/", "/api/imports/chats/"), 3 * MB + 64 * 1024)
    for path in (*limits, "/api/spaces/1/sessions/", "/nowhere/"):
        limit = limits.get(path, MB)
        for declared in (limit, None):
            assert await post(path, limit, headers=headers, declared=declared) == (200, "kept", limit)
        for declared in (limit + 1, None):
            status, text, kept = await post(path, limit + 1, headers=headers, declared=declared)
            assert (status, kept) == (413, None)
            assert f"At most {limit // MB} MB can be sent here." in text and "Sign in" not in text


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345"},
        {"cookie": 'sessionid="abcdefgh\\000"'},
        {"authorization": "Token x"},
        {"authorization": "Token a b"},
        {"authorization": "Token \xff"},
    ],
)
async def test_false_papers_are_those_of_nobody(db, headers):
    status, text, _ = await post("/api/spaces/", ANONYMOUS_BYTES + 1, headers=headers)
    assert status == 413
    assert text == '{"detail": "This is too large. At most 64 KB can be sent here. Sign in to send more."}'


async def test_body_may_lie_about_its_length(db):
    assert (await post("/sign-in/", 10 * MB, declared=5))[0] == 413


async def test_body_that_comes_too_slowly_is_given_up(db, monkeypatch):
    monkeypatch.setattr(bodies, "PATIENCE_S", 0.2)
    monkeypatch.setattr(bodies, "LINGER_S", 0.1)
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/spaces/", "headers": [], "query_string": b""}
    async with asyncio.timeout(3):
        await BoundedBodies(Kept())(scope, receive, send)
    assert sent[0]["status"] == 408
    assert b"too slowly" in sent[1]["body"]


@pytest.fixture
def served(db) -> Iterator[int]:
    with served_here() as port:
        yield port


@pytest.mark.parametrize("is_declared", [True, False], ids=["declared", "chunked"])
def test_large_body_is_answered_and_the_connection_closed(served, is_declared):
    size = 5 * MB
    how = f"Content-Length: {size}" if is_declared else "Transfer-Encoding: chunked"
    with socket.create_connection(("127.0.0.1", served), timeout=20) as peer:
        peer.sendall(f"POST /api/spaces/ HTTP/1.1\r\nHost: localhost\r\n{how}\r\n\r\n".encode())
        for _ in range(size // len(PIECE)):
            peer.sendall(PIECE if is_declared else f"{len(PIECE):x}\r\n".encode() + PIECE + b"\r\n")
        if not is_declared:
            peer.sendall(b"0\r\n\r\n")
        answer = b""
        while piece := peer.recv(65536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 413 ") and b"connection: close" in answer
    assert answer.endswith(b'{"detail": "This is too large. At most 64 KB can be sent here. Sign in to send more."}')


def test_head_that_does_not_end_is_given_up(served, monkeypatch):
    """Whether nothing comes, half a head, a line now and then, or a second head on a connection that is kept."""
    monkeypatch.setattr(serve, "HEAD_S", 1.0)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    half = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    drip = b"X-A: b\r\n"
    late = (b"HTTP/1.1 408 Request Timeout", serve.TOO_SLOW)
    for sent, dripping in ((b"", b""), (half, b""), (half, drip)):
        assert answers(served, sent, dripping) == [late]
    (status, _), second = answers(served, whole + half, drip)
    assert (status, second) == (b"HTTP/1.1 200 OK", late)


def test_head_that_comes_in_time_is_answered_and_the_answer_may_take_longer(served, monkeypatch):
    monkeypatch.setattr(serve, "HEAD_S", 1.0)
    with socket.create_connection(("127.0.0.1", served), timeout=20) as peer:
        for piece in (b"POST /sign-in/ HTTP/1.1\r\nHost: loc", b"alhost\r\nContent-Length: 10\r\n\r\n"):
            peer.sendall(piece)
            time.sleep(0.2)
        for _ in range(10):
            time.sleep(0.2)
            peer.sendall(b"x")
        assert peer.recv(65536).startswith(b"HTTP/1.1 403 ")


def test_head_that_is_too_large_is_given_up(served):
    assert answers(served, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"X-A: " + b"b" * 8_000 + b"\r\n") == [
        (b"HTTP/1.1 431 Request Header Fields Too Large", serve.TOO_LARGE)
    ]


def answers(port: int, sent: bytes, dripping: bytes) -> list[tuple[bytes, bytes]]:
    """Return the status lines and bodies that a peer is answered before it is cut off, who sends and then only drips."""
    with socket.create_connection(("127.0.0.1", port), timeout=0.3) as peer:
        peer.sendall(sent)
        got, began = b"", time.monotonic()
        while time.monotonic() - began < 20:
            with suppress(TimeoutError):
                piece = peer.recv(65536)
                got += piece
                if not piece:
                    break
            with suppress(OSError):
                peer.sendall(dripping)
        else:
            raise AssertionError("the connection was not given up")
    parts = [part for part in re.split(rb"(?=HTTP/1\.1 \d{3} )", got) if part]
    return [(part.partition(b"\r\n")[0], part.partition(b"\r\n\r\n")[2]) for part in parts]


@pytest.mark.parametrize(
    ("path", "limit", "said"),
    [
        ("/v1/chat/completions", 4 * MB, "At most 4 MB can be sent here."),
        ("/mcp", MB // 2, "At most 512 KB can be sent here."),
    ],
)
async def test_door_takes_a_body_of_its_size_with_a_key_and_a_small_one_without(signed_in, path, limit, said):
    bearer = {"authorization": signed_in["token"]["authorization"].replace("Token", "Bearer")}
    assert (await post(path, limit, headers=bearer))[::2] == (200, limit)
    status, text, kept = await post(path, limit + 1, headers=bearer)
    assert (status, kept) == (413, None) and said in text
    for headers in ({}, {"authorization": "Bearer nobody's"}):
        status, text, kept = await post(path, ANONYMOUS_BYTES + 1, headers=headers)
        assert (status, kept) == (413, None) and "Sign in to send more." in text
    assert ('"error"' in text) is path.startswith("/v1/")
