"""The log: its two forms, what it leaves out, and how often it tells of a database that is away."""

from __future__ import annotations

import contextvars
import io
import json
import logging
import sys

import psycopg
import pytest
from django.db import InterfaceError, OperationalError

from dsmart_web.logs import JsonFormatter, LineFormatter, QuietHandler
from dsmart_web.requests import request_enter
from dsmart_web.secrets_out import GONE, own_secrets, without_secrets
from memory.adapters import outages
from memory.adapters.outages import is_away


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("GET /sign-in/MQ/cx1a2b-0f9e8d/ 200", f"GET /sign-in/{GONE} 200"),
        ("next=%2Fsign-in%2FMQ%2Fcx1a2b-0f9e", f"next=%2Fsign-in%2F{GONE}"),
        ("GET /sign-in/?next=/memory/", "GET /sign-in/?next=/memory/"),
        ("at /review/invitations/Zm9vYmFy_x/ now", f"at /review/invitations/{GONE} now"),
        ("/review/teams/3/invitations/12/", "/review/teams/3/invitations/12/"),
        ("Authorization: Token 0123456789abcdef", f"Authorization: {GONE}"),
        ("(b'authorization', b'Bearer abc.def-123')", f"(b'authorization', b'{GONE}')"),
        ("sent Bearer abcdef0123456789 to it", f"sent Bearer {GONE} to it"),
        ("Cookie: sessionid=abc; csrftoken=def", f"Cookie: {GONE}"),
        ("{'password': 'correct horse', 'name': 'Ana'}", f"{{'password': '{GONE} horse', 'name': 'Ana'}}"),
        ('{"new_password1": "hunter2", "a": 1}', f'{{"new_password1": "{GONE}", "a": 1}}'),
        ("POST /x?token=abc123&page=2", f"POST /x?token={GONE}&page=2"),
        ("GET https://api.example.org/v1?key=AIzaSyA1&x=1", f"GET https://api.example.org/v1?key={GONE}&x=1"),
        ("postgresql://team:p%40ss@db:5432/team", f"postgresql://{GONE}@db:5432/team"),
        ("api_key=sk-abcdefghijklmnopqrst", f"api_key={GONE}"),
        ("used sk-abcdefghijklmnopqrst there", f"used {GONE} there"),
        ("max_tokens=512, 12 tokens: fine", "max_tokens=512, 12 tokens: fine"),
        ("Token authentication of a basic kind", "Token authentication of a basic kind"),
    ],
)
def test_secret_is_left_out_and_the_rest_stays(text: str, left: str) -> None:
    assert without_secrets(text) == left


def test_secrets_of_the_settings_are_left_out_wherever_they_stand(settings) -> None:
    settings.DSMART_HTTP_API_KEY, settings.REDIS_URL = "a-key-without-a-form", "redis://:of-the-broker-x@cache:6379/0"
    own_secrets.cache_clear()
    try:
        said = without_secrets(f"<{settings.SECRET_KEY}> a-key-without-a-form of-the-broker-x")
    finally:
        own_secrets.cache_clear()
    assert said == f"<{GONE}> {GONE} {GONE}"


def written(formatter: logging.Formatter, *records: logging.LogRecord) -> list[str]:
    handler = QuietHandler(stream := io.StringIO())
    handler.setFormatter(formatter)
    for record in records:
        handler.handle(record)
    return stream.getvalue().splitlines()


def record_of(message: str, *args: object, error: BaseException | None = None, **extra: object) -> logging.LogRecord:
    told = None
    if error is not None:
        try:
            raise error
        except type(error):
            told = sys.exc_info()
    record = logging.LogRecord("dsmart_web.access", logging.WARNING, __file__, 1, message, args, told)
    record.__dict__.update(extra)
    return record


def test_json_log_has_one_object_a_line_with_its_request_and_no_secret() -> None:
    def within() -> list[str]:
        request_enter("of-a-proxy-0001")
        return written(
            JsonFormatter(),
            record_of("at %s", "/sign-in/MQ/cx1a2b-0f9e/", path="/sign-in/MQ/cx1a2b-0f9e/", status=200),
            record_of("two\nlines", error=ValueError("password=hunter22")),
        )

    first, second = (json.loads(line) for line in contextvars.copy_context().run(within))
    time = first.pop("time")
    assert time.endswith("+00:00") and "T" in time
    assert first == {
        "level": "WARNING", "logger": "dsmart_web.access", "message": f"at /sign-in/{GONE}",
        "request": "of-a-proxy-0001", "path": f"/sign-in/{GONE}", "status": 200,
    }  # fmt: skip
    assert second["message"] == "two\nlines" and second["error"].endswith(f"ValueError: password={GONE}")


def test_line_log_names_the_request_where_there_is_one() -> None:
    def within() -> list[str]:
        request_enter("of-a-proxy-0001")
        return written(LineFormatter(), record_of("here"))

    [line] = contextvars.copy_context().run(within)
    assert line.endswith(" WARNING dsmart_web.access: here (request of-a-proxy-0001)")
    [line] = written(LineFormatter(), record_of("there"))
    assert line.endswith(" WARNING dsmart_web.access: there")


def wrapped(error: psycopg.Error) -> OperationalError:
    told = OperationalError(str(error))
    told.__cause__ = error
    return told


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OperationalError("connection refused"), True),
        (wrapped(psycopg.errors.AdminShutdown("terminating connection")), True),
        (wrapped(psycopg.errors.CannotConnectNow("starting up")), True),
        (wrapped(psycopg.errors.QueryCanceled("statement timeout")), False),
        (wrapped(psycopg.errors.DeadlockDetected("deadlock detected")), False),
        (wrapped(psycopg.errors.DiskFull("no space left")), False),
        (InterfaceError("connection already closed"), True),
        (InterfaceError("the cursor is closed"), False),
        (psycopg.OperationalError("server closed the connection unexpectedly"), True),
        (ValueError("of another kind"), False),
        (None, False),
    ],
)
def test_database_that_is_away_is_told_from_a_query_that_is_wrong(error, expected) -> None:
    assert is_away(error) is expected
    if error is not None:
        outer = RuntimeError("while rendering")
        outer.__cause__ = error
        assert is_away(outer) is expected


def test_outage_is_one_line_a_minute_without_traceback_and_other_errors_are_told(monkeypatch) -> None:
    now = 1000.0
    monkeypatch.setattr(outages, "_told_at", None)
    monkeypatch.setattr(outages.time, "monotonic", lambda: now)
    gone = [record_of("Request %s", n, error=OperationalError("connection refused")) for n in range(3000)]
    other = record_of("Broken", error=OperationalError("deadlock"))
    other.exc_info[1].__cause__ = psycopg.errors.DeadlockDetected("deadlock")  # type: ignore[index]
    lines = written(LineFormatter(), *gone[:1500], other, *gone[1500:])
    assert sum("The database is away (connection refused)" in line for line in lines) == 1
    assert sum("Broken" in line for line in lines) == 1 and sum("Traceback" in line for line in lines) == 1
    now += 61
    assert len(written(LineFormatter(), *gone)) == 1
