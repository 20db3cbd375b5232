"""What a running product writes down: JSON lines with requests, and no secret, whatever goes wrong."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx
import pytest

from tests.product import ServedProduct

pytestmark = pytest.mark.slow
PASSWORD, ENGINE_KEY, METRICS = "a-password-that-is-wrong", "sk-of-the-engine-0123456789", "of-the-monitor-0123"


def test_log_of_a_day_has_every_request_and_no_secret(tmp_path: Path) -> None:
    served = ServedProduct(
        tmp_path / "home",
        DSMART_LOG_FORMAT="json",
        DSMART_LOG_LEVEL="DEBUG",
        DSMART_TRUSTED_PROXIES="127.0.0.1",
        DSMART_ENGINE="http:nobody",
        DSMART_HTTP_BASE_URL="http://127.0.0.1:1/v1",
        DSMART_HTTP_API_KEY=ENGINE_KEY,
        DSMART_HTTP_RETRIES="0",
        DSMART_METRICS_TOKEN=METRICS,
    )
    served.start_unlinked()
    try:
        link = served.link_for("ana")
        browser = httpx.Client(base_url=served.address, follow_redirects=True, timeout=30)
        token = browser.get(link).text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        sent = {"X-Request-ID": "of-the-proxy-0001", "X-Forwarded-For": "198.51.100.7", "Referer": link}
        signed_in = browser.post(link, data={"csrfmiddlewaretoken": token}, headers=sent)
        assert signed_in.status_code == 200 and signed_in.history[0].headers["X-Request-ID"] == "of-the-proxy-0001"
        used = browser.get(link)
        assert used.status_code == 410 and len(used.headers["X-Request-ID"]) == 32
        assert browser.get("/", headers={"X-Request-ID": "not sane!"}).headers["X-Request-ID"] != "not sane!"
        refused = httpx.post(f"{served.address}/sign-in/", data={"username": "ana", "password": PASSWORD})
        assert refused.status_code == 403  # without the page's token
        api = served.client()
        key = api.headers["Authorization"].split()[1]
        assert (
            httpx.get(f"{served.address}/api/spaces/", headers={"Authorization": "Token 0123456789abcdef"}).status_code
            == 401
        )
        told = api.post("/api/conversations/", json={}).json()
        asked = {"X-Request-ID": "asks-for-a-reply-1"}
        reply = api.post(f"/api/conversations/{told['id']}/messages/", json={"text": "Hello"}, headers=asked).json()[
            "id"
        ]
        until = time.monotonic() + 60
        while api.get(f"/api/replies/{reply}/").json()["state"] not in {"done", "failed"}:
            assert time.monotonic() < until
            time.sleep(0.2)
        figures = httpx.get(f"{served.address}/metrics", headers={"Authorization": f"Bearer {METRICS}"}).text
        assert httpx.get(f"{served.address}/?token={key}&password={PASSWORD}").status_code == 302
    finally:
        served.stop()

    log = "".join(served.output)
    secret = link.rstrip("/").rsplit("/", 1)[1]
    cookie = browser.cookies["sessionid"]
    for found in (secret, cookie, token, key, PASSWORD, ENGINE_KEY, METRICS, (served.home / "secret_key").read_text()):
        assert found not in log, [line for line in served.output if found in line]
    records = [json.loads(line) for line in served.output]
    lines = [record for record in records if record["logger"] == "dsmart_web.access"]
    by_link = next(line for line in lines if line["method"] == "POST" and line["route"] == "sign-in-link")
    shown = {name: by_link[name] for name in ("request", "client", "status", "path", "level")}
    assert shown == {
        "request": "of-the-proxy-0001", "client": "198.51.100.7", "status": 302, "path": "/sign-in/[left out]",
        "level": "INFO",
    }  # fmt: skip
    # The request that asked for a reply is named in the lines of the task that wrote it.
    assert any(
        record.get("request") == "asks-for-a-reply-1" and record["logger"].startswith(("celery", "memory.adapters"))
        for record in records
    )
    assert [line["message"] for line in records if "listening on" in line["message"]]
    for told_of in (
        'dsmart_http_request_seconds_count{method="POST",route="sign-in-link",status="302"} 1.0',
        'dsmart_reply_stage_seconds_count{stage="total"} 1.0',
        'dsmart_model_call_seconds_count{engine="http:nobody",outcome="failed"',
        "dsmart_sockets_open 0.0",
    ):
        assert told_of in figures, figures
    assert "ana" not in figures.replace("manage", "") and "Hello" not in figures
