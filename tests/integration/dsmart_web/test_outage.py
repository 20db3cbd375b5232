"""A database that goes away under a running product: what is answered, what is logged, and that all mends by itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from tests.e2e.team_servers import postgres_server
from tests.product import ServedProduct

pytestmark = pytest.mark.slow
AWAY_CODE = 4503
WHILE_S = 8.0


class Gate:
    """A way to a server that can be shut: connections through it are cut, and new ones refused."""

    def __init__(self, port: int) -> None:
        self._behind = port
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.port = 0
        self.open()

    def open(self) -> None:
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    def shut(self) -> None:
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            behind, to_behind = await asyncio.open_connection("127.0.0.1", self._behind)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, to_behind}

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            try:
                while data := await source.read(65536):
                    target.write(data)
                    await target.drain()
            except OSError:
                pass
            finally:
                target.transport.abort()

        await asyncio.gather(copy(reader, to_behind), copy(behind, writer))
        self._open -= {writer, to_behind}


@pytest.fixture
def gate_and_product(tmp_path: Path) -> Iterator[tuple[Gate, ServedProduct]]:
    with tempfile.TemporaryDirectory(prefix="dsmart-gate-") as folder, postgres_server(Path(folder)) as address:
        before, _, after = address.rpartition(":")
        port, _, name = after.partition("/")
        gate = Gate(int(port))
        served = ServedProduct(tmp_path / "home", DATABASE_URL=f"{before}:{gate.port}/{name}", REDIS_URL="")
        with served:
            yield gate, served
        gate.shut()


def signed_in(served: ServedProduct) -> httpx.Client:
    browser = httpx.Client(base_url=served.address, follow_redirects=True, timeout=30)
    page = browser.get(served.link)
    token = page.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    answer = browser.post(served.link, data={"csrfmiddlewaretoken": token}, headers={"Referer": served.link})
    assert answer.status_code == 200, answer.text
    return browser


async def close_code(served: ServedProduct, browser: httpx.Client, path: str, *, after_opening: object = None) -> int:
    """Open a socket, do something, and return the code with which the server closes it."""
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    address = f"ws://localhost:{served.port}{path}"
    async with connect(address, origin=Origin(served.address), additional_headers={"Cookie": cookie}) as socket:
        if callable(after_opening):
            await asyncio.to_thread(after_opening)
        async with asyncio.timeout(20):
            with suppress(ConnectionClosed):
                while True:
                    await socket.recv()
        assert socket.close_code is not None
        return socket.close_code


def test_database_that_goes_away_is_said_once_a_minute_and_all_mends(gate_and_product) -> None:
    gate, served = gate_and_product
    api, browser = served.client(), signed_in(served)
    told = api.post("/api/conversations/", json={}).json()
    before = len(served.output)
    socket = f"/ws/conversations/{told['id']}/"

    assert asyncio.run(close_code(served, browser, socket, after_opening=gate.shut)) == AWAY_CODE
    until = time.monotonic() + WHILE_S
    asked = 0
    while time.monotonic() < until:
        page = browser.get("/memory/")
        assert page.status_code == 503 and int(page.headers["Retry-After"]) > 0
        assert "The memory is away for a moment." in page.text and "tokens" in page.text
        refused = api.post(f"/api/conversations/{told['id']}/messages/", json={"text": "I live in Lyon."})
        assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
        assert list(refused.json()) == ["detail"] and "memory is away" in refused.json()["detail"]
        part = browser.get(f"/c/{told['id']}/", headers={"HX-Request": "true"})
        assert part.status_code == 503
        assert httpx.get(f"{served.address}/healthz").status_code == 503
        asked += 4
    assert asyncio.run(close_code(served, browser, socket)) == AWAY_CODE
    large = api.post(f"/api/conversations/{told['id']}/messages/", json={"text": "x" * 100_000})
    assert large.status_code == 503
    said = served.output[before:]
    assert asked > 40 and "Traceback" not in "".join(said)
    assert [line for line in said if "The database is away" in line] == said and len(said) == 1, "".join(said)

    gate.open()
    until = time.monotonic() + 60
    while httpx.get(f"{served.address}/healthz").status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.2)
    posted = api.post(f"/api/conversations/{told['id']}/messages/", json={"text": "I live in Lyon."})
    assert posted.status_code == 202, posted.text
    while api.get(f"/api/replies/{posted.json()['id']}/").json()["state"] != "done":
        assert time.monotonic() < until, api.get(f"/api/replies/{posted.json()['id']}/").json()
        time.sleep(0.2)
    assert browser.get("/memory/").status_code == 200
    assert len(served.output) == before + 1, "".join(served.output[before:])


def test_embedded_server_that_is_killed_in_a_reply_is_started_again_and_the_reply_ends(tmp_path: Path) -> None:
    script = tmp_path / "slow.jsonl"
    text = "This is a long reply that takes its time to be written word by word, until it is whole."
    script.write_text(json.dumps({"reply": text, "piece_delay_s": 0.15}) + "\n")
    engine = f"scripted:{script}"
    with ServedProduct(tmp_path / "home", DSMART_EXTRA_ENGINES=engine, DSMART_LEASE_S="2") as served:
        api = served.client()
        told = api.post("/api/conversations/", json={"engine": engine}).json()
        reply = api.post(f"/api/conversations/{told['id']}/messages/", json={"text": "Where do I live?"}).json()["id"]
        while "delta" not in [event["kind"] for event in api.get(f"/api/replies/{reply}/events/").json()]:
            time.sleep(0.05)
        before = len(served.output)
        postmaster = int((served.home / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGKILL)
        until = time.monotonic() + 60
        while True:
            answer = api.get(f"/api/replies/{reply}/")
            assert answer.status_code in {200, 503}
            if answer.status_code == 200 and answer.json()["state"] not in {"queued", "running"}:
                break
            assert time.monotonic() < until, "".join(served.output[before:])
            time.sleep(0.2)
        assert (answer.json()["state"], answer.json()["text"]) == ("done", text)
        said = "".join(served.output[before:])
        assert "Traceback" not in said and said.count("The database is away") <= 1
