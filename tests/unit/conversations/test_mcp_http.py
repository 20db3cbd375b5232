"""The door of tools by HTTP, before anything is asked of the memory."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError

from conversations.core.errors import KeyUnknown
from conversations.doors.mcp import http
from conversations.doors.mcp.http import McpDoor


async def passed_on(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "passed on", "path": scope["path"]})


async def sent_to(
    path: str, *, method: str = "POST", host: str = "localhost", origin: str = ""
) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("nothing is read before the key is known")

    headers = [(b"authorization", b"Bearer x"), (b"host", host.encode())]
    headers += [(b"origin", origin.encode())] if origin else []
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": headers}
    await McpDoor(passed_on)(scope, receive, send)
    return sent


@pytest.mark.parametrize("path", ["/", "/mcpx", "/api/mcp", "/v1/models"])
async def test_what_is_not_for_tools_is_passed_on(path):
    assert await sent_to(path) == [{"type": "passed on", "path": path}]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
async def test_only_a_post_is_answered(path, method):
    start, _ = await sent_to(path, method=method)
    assert (start["status"], dict(start["headers"])[b"allow"]) == (405, b"POST")


async def test_database_that_is_away_is_told_with_a_time_to_try_again(monkeypatch, caplog):
    async def away(authorization: str) -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(http, "grant_of", away)
    start, body = await sent_to("/mcp")
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"5")
    assert json.loads(body["body"])["error"]["message"] == http.AWAY
    [record] = caplog.records
    assert record.message == "The database is away.", "which the log tells once a minute"


HOST_REFUSED = "This host is not served here. Ask by a name that DSMART_HOSTS has."
ORIGIN_REFUSED = "A page of another origin may not ask here. Ask from a page of http://localhost:8080."


@pytest.mark.parametrize(
    ("host", "origin", "said"),
    [
        ("evil.example", "", HOST_REFUSED),
        ("evil.example", "http://evil.example", HOST_REFUSED),
        ("localhost:8080", "http://localhost:9999", ORIGIN_REFUSED),
        ("localhost:8080", "https://localhost:8080", ORIGIN_REFUSED),
        ("localhost:8080", "http://evil.example", ORIGIN_REFUSED),
        ("localhost:8080", "null", ORIGIN_REFUSED),
    ],
)
async def test_foreign_host_and_page_of_another_origin_are_refused_before_the_key_is_read(
    monkeypatch, host, origin, said
):
    monkeypatch.setattr(http, "grant_of", None)
    start, body = await sent_to("/mcp", host=host, origin=origin)
    assert (start["status"], json.loads(body["body"])["error"]["message"]) == (403, said)


@pytest.mark.parametrize("origin", ["", "http://localhost:8080"])
async def test_programs_and_own_pages_are_asked_for_their_key(monkeypatch, origin):
    async def unknown(authorization: str) -> None:
        raise KeyUnknown(authorization)

    monkeypatch.setattr(http, "grant_of", unknown)
    start, body = await sent_to("/mcp", host="localhost:8080", origin=origin)
    assert (start["status"], json.loads(body["body"])["error"]["message"]) == (401, "Bearer x")
