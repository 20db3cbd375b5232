"""The product, started as a person starts it, for tests with a real browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(http://[^/\s]+)(/sign-in/\S+)")
START_S = 180
STOP_S = 30


@dataclass(frozen=True)
class Server:
    """A running product: where it answers, its first sign-in link, and the environment that its commands need."""

    address: str
    sign_in_link: str
    environment: dict[str, str]

    def command(self, *arguments: str) -> str:
        """Return what a management command prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=START_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def link_for(self, name: str) -> str:
        """Return a sign-in link for an account, which is made where there is none."""
        return self.command("sign_in_link", "--user", name, "--create", "--address", self.address).strip()


@contextmanager
def running_server(*, home: Path, logs: Path, extra: dict[str, str]) -> Iterator[Server]:
    """Start the product on a free port, with DATABASE_URL and REDIS_URL where they are set; then stop all of it.

    With REDIS_URL the worker is a process of its own, as it is on a team's server.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DSMART_")}
    environment |= {"DSMART_HOME": str(home), "DSMART_SECRET_KEY": "only-for-tests-" + "0123456789" * 4, **extra}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    if os.environ.get("DSMART_TEST_REDIS_URL"):
        environment["REDIS_URL"] = os.environ["DSMART_TEST_REDIS_URL"]
    logs.mkdir(parents=True, exist_ok=True)
    serve = [sys.executable, "manage.py", "serve", "--port", "0"]
    with process(serve, environment=environment, log=logs / "serve.log") as server:
        found = wait_for(LINK, server, logs / "serve.log")
        if environment.get("REDIS_URL"):
            worker = [
                sys.executable,
                "-m",
                "celery",
                "-A",
                "dsmart_web",
                "worker",
                "--concurrency",
                "2",
                "--loglevel",
                "INFO",
            ]
            with process(worker, environment=environment, log=logs / "worker.log") as own:
                wait_for(re.compile(r"\bready\."), own, logs / "worker.log")
                yield Server(found[1], found[1] + found[2], environment)
        else:
            yield Server(found[1], found[1] + found[2], environment)


@contextmanager
def process(command: list[str], *, environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        started = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield started
        finally:
            started.send_signal(signal.SIGTERM)
            try:
                started.wait(STOP_S)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()
                raise


def wait_for(pattern: re.Pattern[str], started: subprocess.Popen[bytes], log: Path) -> re.Match[str]:
    """Return the first match in what a process has printed."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        printed = log.read_text(errors="replace")
        found = pattern.search(printed)
        if found:
            return found
        assert started.poll() is None, f"It ended before it was ready:\n{printed}"
        time.sleep(0.1)
    raise AssertionError(f"It was not ready within {START_S} s:\n{log.read_text(errors='replace')}")
