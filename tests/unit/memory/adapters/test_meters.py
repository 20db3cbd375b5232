"""Figures add up in a process, and over processes through a Redis server."""

from __future__ import annotations

import multiprocessing
import shutil
import time
from pathlib import Path

import pytest
import redis

from dsmart_web.figures import MeterCollector
from memory.adapters import call_figures, meters
from memory.adapters.meters import Figure, Meters, within
from memory.core.tracing import CallOutcome, ModelCall
from tests.e2e.team_servers import redis_server
from tests.product import free_port

needs_redis = pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")


@pytest.fixture
def server(tmp_path: Path):
    with redis_server(tmp_path) as address:
        client = redis.Redis.from_url(address)
        for _ in range(100):
            try:
                client.ping()
                break
            except redis.RedisError:
                time.sleep(0.1)
        yield address


def test_process_counts_and_sorts_what_it_observes_into_bounds() -> None:
    own = Meters()
    for seconds in (0.004, 0.005, 0.3, 700):
        own.observe("http", seconds, route="talk", method="GET", status="200")
    own.count("replies", state="done")
    own.socket_opened()
    labels = (("method", "GET"), ("route", "talk"), ("status", "200"))
    assert own.figures() == {
        Figure("http", "sum", labels): pytest.approx(700.309),
        Figure("http", "0.005", labels): 2,
        Figure("http", "0.5", labels): 1,
        Figure("http", "+Inf", labels): 1,
        Figure("replies", "total", (("state", "done"),)): 1,
    }
    assert own.sockets() == 1
    summed = within((figure, value) for figure, value in own.figures().items() if figure.meter == "http")
    assert (summed["0.005"], summed["0.25"], summed["0.5"], summed["60.0"], summed["+Inf"]) == (2, 2, 3, 3, 4)


def count_in_a_process(address: str) -> None:
    own = Meters(address)
    own.socket_opened()
    for _ in range(50):
        own.observe("reply_stage", 0.5, stage="total")
    own.share()
    time.sleep(3 * meters.SHARE_S)


@needs_redis
def test_figures_of_all_processes_are_told_by_any_of_them(server: str) -> None:
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=count_in_a_process, args=(server,)) for _ in range(2)]
    for process in others:
        process.start()
    own = Meters(server)
    own.observe("reply_stage", 0.5, stage="total")
    figure = Figure("reply_stage", "0.5", (("stage", "total"),))
    deadline = time.monotonic() + 20
    while own.figures().get(figure) != 101:
        assert time.monotonic() < deadline, own.figures()
        time.sleep(0.1)
    assert own.sockets() == 2
    for process in others:
        process.join(30)
    assert own.figures()[figure] == 101


@needs_redis
def test_what_is_counted_while_the_server_is_away_is_not_lost(server: str) -> None:
    own = Meters(f"redis://127.0.0.1:{free_port()}/0")
    own.count("replies", state="done")
    with pytest.raises(redis.RedisError):
        own.share()
    own._address = server
    assert own.figures() == {Figure("replies", "total", (("state", "done"),)): 1}


def test_unreachable_server_leaves_the_other_figures(monkeypatch, caplog) -> None:
    away = Meters(f"redis://127.0.0.1:{free_port()}/0")
    monkeypatch.setattr("dsmart_web.figures.meters", lambda: away)
    assert list(MeterCollector().collect()) == []
    assert "The figures of all processes cannot be read" in caplog.text


def test_model_calls_are_counted_by_role_and_engine_and_added_ones_are_not_named(monkeypatch, settings) -> None:
    settings.DSMART_ENGINE, settings.DSMART_EXTRA_ENGINES = "http:qwen@http://10.0.0.1/v1", ["transformers:small"]
    own = Meters()
    monkeypatch.setattr(call_figures, "meters", lambda: own)
    call_figures.calls_count(
        [
            ModelCall("write_answer", "http:qwen", CallOutcome.ANSWERED, 120.0, prompt_tokens=10, completion_tokens=5),
            ModelCall("write_answer", "http:anas-own", CallOutcome.FAILED, 30.0, error="ModelUnreachable"),
        ]
    )
    told = {
        (figure.meter, figure.part, dict(figure.labels)["engine"]): value for figure, value in own.figures().items()
    }
    assert told == {
        ("model_call", "0.25", "http:qwen"): 1,
        ("model_call", "sum", "http:qwen"): pytest.approx(0.12),
        ("model_tokens", "total", "http:qwen"): pytest.approx(5),
        ("model_call", "0.05", "added"): 1,
        ("model_call", "sum", "added"): pytest.approx(0.03),
    }
    kinds = {
        dict(figure.labels)["kind"]: value for figure, value in own.figures().items() if figure.meter == "model_tokens"
    }
    assert kinds == {"prompt": 10, "completion": 5}
