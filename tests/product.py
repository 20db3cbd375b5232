"""The product itself, started as a person starts it, in a process that a test may kill."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings

from dsmart_web.embedded.postmaster import locked, running_pid
from dsmart_web.embedded.preparation import embedder_export

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(http://localhost:\d+(/sign-in/\S+))")
LISTENING = re.compile("listening on")
START_S = 120
NEW_TOKEN = (
    "from memory.services.accounts import owner_account; from memory.services.tokens import token_make; "
    "print(token_make(user=owner_account()))"
)
LINKS = """
import sys
from django.core.management import call_command
for line in sys.stdin:
    name, address = line.split()
    call_command("sign_in_link", user=name, create=True, address=address)
    sys.stdout.flush()
"""


class ServedProduct:
    """`manage.py serve` over a data folder of its own, with what it prints, its sign-in link and its REST API."""

    def __init__(self, home: Path, *, log: Path | None = None, **environment: str) -> None:
        self.home = home
        self.log = log
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DSMART_")},
            "DJANGO_SETTINGS_MODULE": "dsmart_web.settings",
            "DSMART_HOME": str(home),
            **environment,
        }
        self.port = free_port()
        self.output: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self._links: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self, *arguments: str) -> str:
        """Start the product and return its sign-in link."""
        self.start_unlinked(*arguments, until=LINK)
        return self.link

    def start_unlinked(self, *arguments: str, until: re.Pattern[str] = LISTENING) -> None:
        """Start the product, and return once it has said a line."""
        self.home.mkdir(parents=True, exist_ok=True)
        if not (self.home / "models").exists():
            (self.home / "models").symlink_to(encoder_exported(), target_is_directory=True)
        self.output = []
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(self.port), *arguments],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        linked = threading.Event()
        threading.Thread(target=self._read, args=(self.process, linked, until), daemon=True).start()
        deadline = time.monotonic() + START_S
        while not linked.wait(0.05):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise AssertionError("The product did not start:\n" + "".join(self.output))

    @property
    def link(self) -> str:
        return next(found.group(1) for line in self.output if (found := LINK.search(line)))

    def kill(self) -> None:
        """End every process of the product at once, the database's too, as a power cut would."""
        assert self.process is not None
        for pid in [*descendants(self.process.pid), *postgres_processes(self.home), self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait(10)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask the product to stop and return its exit status."""
        assert self.process is not None
        if self._links is not None:
            # It may still be starting on a busy machine; what was asked of it is read by now.
            self._links.kill()
            self._links.communicate()
            self._links = None
        self.process.send_signal(number)
        return self.process.wait(30)

    def manage(self, *arguments: str) -> str:
        """Return what a management command over the same data folder prints."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=START_S,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def link_for(self, name: str) -> str:
        """Return a sign-in link for an account, which is made where there is none. One process makes all links."""
        if self._links is None:
            command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", LINKS]
            pipe = subprocess.PIPE
            self._links = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdin=pipe, stdout=pipe, text=True, bufsize=1
            )
        assert self._links.stdin is not None and self._links.stdout is not None
        self._links.stdin.write(f"{name} {self.address}\n")
        return self._links.stdout.readline().strip()

    @contextmanager
    def worker(self, log: Path) -> Iterator[None]:
        """Run the worker as a process of its own, as on a team's server."""
        command = [sys.executable, "-m", "celery", "-A", "dsmart_web", "worker", "--concurrency", "2", "-l", "INFO"]
        with log.open("wb") as output:
            worker = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT)
            try:
                deadline = time.monotonic() + START_S
                while " ready." not in read(log):
                    assert worker.poll() is None and time.monotonic() < deadline, read(log)
                    time.sleep(0.1)
                yield
            finally:
                worker.terminate()
                worker.wait(30)

    def client(self) -> httpx.Client:
        """Return a client of the REST API that acts for the owner."""
        token = self.manage("shell", "--verbosity", "0", "--command", NEW_TOKEN).split()[-1]
        return httpx.Client(base_url=self.address, headers={"Authorization": f"Token {token}"}, timeout=30)

    def __enter__(self) -> ServedProduct:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def _read(self, process: subprocess.Popen[str], linked: threading.Event, until: re.Pattern[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.output.append(line)
            if self.log is not None:
                self.log.write_text("".join(self.output))
            if until.search(line):
                linked.set()


@contextmanager
def served_here() -> Iterator[int]:
    """Run the product's application in a thread of this process, behind the web server that it runs on; the port."""
    from dsmart_web.management.commands.serve import web_server

    listening = socket.create_server(("127.0.0.1", 0))
    server = web_server()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def encoder_exported() -> Path:
    """Export the sentence encoder unless another process of the tests has, and return its folder."""
    folder = Path(settings.DSMART_MODELS)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "export.lock"):
        embedder_export()
    return folder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def descendants(pid: int) -> list[int]:
    children = [int(child) for tasks in Path(f"/proc/{pid}/task").glob("*/children") for child in read(tasks).split()]
    return [found for child in children for found in (child, *descendants(child))]


def postgres_processes(home: Path) -> list[int]:
    """Return the embedded database server of a data folder and its children."""
    postmaster = running_pid(home / "postgres" / "data")
    return [] if postmaster is None else [postmaster, *descendants(postmaster)]


def read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
