"""Several web processes and workers behind one Redis server, as on a team's hosts, over this process's data folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType

import redis
from django.conf import settings

from evaluation.core.errors import EvaluationError
from evaluation.performance.served import HOST, START_TIMEOUT_S, ServedProduct, free_port, served_product, stop

POLL_S = 0.2
WORKERS = MappingProxyType({"reply": 4, "maintenance,imports,evaluation": 2})


@contextmanager
def served_team(webs: int) -> Iterator[list[ServedProduct]]:
    """Start Redis, web processes and workers, and stop them at the end. Raises `EvaluationError` where there is no Redis."""
    with ExitStack() as stack:
        environment = {"REDIS_URL": stack.enter_context(redis_running())}
        # One after the other: the first brings tables and static files up to date.
        products = [stack.enter_context(served_product(environment=environment)) for _ in range(webs)]
        # Replies wait for what is learnt: never in the same threads.
        for queues, threads in WORKERS.items():
            stack.enter_context(worker_running(environment, queues, threads))
        yield products


@contextmanager
def redis_running() -> Iterator[str]:
    """Yield the address of a Redis server of its own, which keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        raise EvaluationError(
            "Several web processes need a Redis server. On Debian or Ubuntu: apt-get install redis-server"
        )
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="dsmart-redis-") as folder:
        command = [program, "--port", str(port), "--bind", HOST, "--save", "", "--appendonly", "no", "--dir", folder]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_for_answer(f"redis://{HOST}:{port}/0")
            yield f"redis://{HOST}:{port}/0"
        finally:
            stop(process)


def wait_for_answer(address: str) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with redis.Redis.from_url(address) as client:
                client.ping()
            return
        except redis.RedisError as error:
            if time.monotonic() > deadline:
                raise EvaluationError(f"The Redis server does not answer: {error}") from error
            time.sleep(POLL_S)


@contextmanager
def worker_running(environment: dict[str, str], queues: str, threads: int) -> Iterator[None]:
    """Run a worker in a process of its own, from when it is ready."""
    with tempfile.TemporaryDirectory(prefix="dsmart-worker-") as folder:
        log = Path(folder) / "log"
        command = [sys.executable, "-m", "celery", "-A", "dsmart_web", "worker", "-l", "INFO", "--queues", queues]
        command += ["--hostname", f"{queues.split(',')[0]}@bench", "--pool", "threads", "--concurrency", str(threads)]
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=settings.BASE_DIR, env={**os.environ, **environment}, stdout=output, stderr=output
            )
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            while " ready." not in log.read_text(errors="replace"):
                if process.poll() is not None or time.monotonic() > deadline:
                    said = log.read_text(errors="replace").strip().splitlines()[-1:]
                    raise EvaluationError(f"The worker does not start: {' '.join(said) or 'it said nothing'}")
                time.sleep(POLL_S)
            yield
        finally:
            stop(process)
