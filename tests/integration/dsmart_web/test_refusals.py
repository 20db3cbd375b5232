"""Whatever goes wrong at an address for programs, they get JSON; people get a page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dsmart_web import refusals

OPENAI = {"message", "type", "param", "code"}


def reason_in(answer: Any) -> str:
    """Return the reason of a refusal, which has the form of its door."""
    assert answer.headers["Content-Type"] == "application/json", answer.content
    body = answer.json()
    if "error" not in body:
        assert set(body) == {"detail"}
        return str(body["detail"])
    assert set(body) == {"error"} and set(body["error"]) == OPENAI
    return str(body["error"]["message"])


@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "options"])
@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/mcp/nothing", "/mcp"),
        ("/api/nothing/", "the addresses of /api/docs/"),
        ("/api/spaces/1/nothing/at/all", "the addresses of /api/docs/"),
        ("/v1", "/v1/chat/completions and /v1/models"),
        ("/v1/", "/v1/chat/completions and /v1/models"),
        ("/v1/embeddings", "/v1/chat/completions and /v1/models"),
        ("/v1/chat/completions/", "/v1/chat/completions and /v1/models"),
    ],
)
def test_unknown_address_for_programs_is_answered_as_json(db, method, path, known):
    answer = getattr(Client(), method)(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert reason_in(answer) == f"There is no {path} here. What there is: {known}."


@pytest.mark.parametrize("path", ["/v1/models", "/v1/chat/completions", "/v1/nothing", "/api/spaces/", "/api/nothing/"])
def test_foreign_host_is_answered_as_json(db, path):
    answer = Client().get(path, headers={"host": "evil.example"})
    assert (answer.status_code, reason_in(answer)) == (400, refusals.NOT_SERVED)


@pytest.mark.parametrize("path", ["/v1/models", "/api/spaces/"])
def test_what_breaks_is_answered_as_json(db, path, monkeypatch):
    def broken(*given: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("django.middleware.common.CommonMiddleware.process_request", broken)
    answer = Client(raise_request_exception=False).get(path)
    assert (answer.status_code, reason_in(answer)) == (500, refusals.BROKEN)
    assert path != "/v1/models" or answer.json()["error"]["type"] == "server_error"


@pytest.mark.parametrize(("path", "host", "status"), [("/nothing/", "localhost", 404), ("/", "evil.example", 400)])
def test_people_get_a_page(db, path, host, status):
    answer = Client().get(path, headers={"host": host})
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert b"<h1>" in answer.content
