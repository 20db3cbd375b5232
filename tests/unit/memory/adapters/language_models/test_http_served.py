"""`HttpLanguageModel` against a server that is not ours: `transformers serve` on the tiny model."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from memory.adapters.language_models.http import HttpLanguageModel
from memory.core.types import Completion, Message, MessageRole, Prompt, SamplingConfig

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in ("fastapi", "openai", "accelerate")),
        reason="transformers serve needs fastapi, openai and accelerate",
    ),
]
UP_WITHIN_S = 90
HELLO = Prompt((Message(MessageRole.USER, "hello world"),))


@pytest.fixture(scope="module")
def served(tiny_qwen3: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of the server, while it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [
        str(Path(sys.executable).parent / "transformers"),
        "serve",
        str(tiny_qwen3),
        "--device",
        "cpu",
        "--port",
        str(port),
    ]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=os.environ | {"HF_HUB_OFFLINE": "1"})
    try:
        deadline = time.monotonic() + UP_WITHIN_S
        while True:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=2).is_success:
                    break
            except httpx.HTTPError:
                time.sleep(0.3)
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < deadline, log.read_text()[-2000:]
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def test_another_server_completes_and_streams(served: str, tiny_qwen3: Path) -> None:
    model = HttpLanguageModel(served, "", str(tiny_qwen3), timeout_s=60)
    config = SamplingConfig(temperature=0.0, max_tokens=24)
    (outcome,) = model.complete_many([HELLO], config=config)
    assert isinstance(outcome, Completion), outcome
    assert outcome.text.strip()
    pieces = list(model.stream(HELLO, config=config))
    assert len(pieces) > 1
    assert "".join(pieces).strip() == outcome.text.strip()


def test_closed_stream_leaves_another_server_usable(served: str, tiny_qwen3: Path) -> None:
    model = HttpLanguageModel(served, "", str(tiny_qwen3), timeout_s=60, concurrency=1)
    reply = model.stream(HELLO, config=SamplingConfig(temperature=0.0, max_tokens=300))
    assert next(reply)
    reply.close()  # type: ignore[attr-defined]
    (outcome,) = model.complete_many([HELLO], config=SamplingConfig(temperature=0.0, max_tokens=4))
    assert isinstance(outcome, Completion), outcome
