"""Serves the product in a process of its own, on this process's data folder, with signed-in users."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import httpx
import redis
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore

from conversations.models import Conversation
from conversations.services import conversation_create
from evaluation.core.errors import EvaluationError
from memory.services import space_forget, space_personal

HOST = "127.0.0.1"
START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 30.0
POLL_S = 0.1
LINES_SHOWN = 5


@dataclass(frozen=True)
class ServedProduct:
    """A running server: its address, process id, and the file that its standard error goes to."""

    port: int
    pid: int
    errors: Path

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    def socket_address(self, conversation: Conversation) -> str:
        return f"ws://{HOST}:{self.port}/ws/conversations/{conversation.pk}/"


@dataclass(frozen=True)
class Guest:
    """A signed-in person with a conversation: `cookie` is what the browser would send."""

    conversation: Conversation
    cookie: str


@contextmanager
def served_product(
    *, python_options: Sequence[str] = (), environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[ServedProduct]:
    """Start `manage.py serve` on a free port, wait until it answers, and stop it at the end of the block."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="dsmart-serve-") as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        command = [sys.executable, *python_options, str(settings.BASE_DIR / "manage.py"), "serve"]
        with output.open("wb") as stdout, errors.open("wb") as stderr:
            process = subprocess.Popen(
                [*command, "--host", HOST, "--port", str(port)],
                cwd=settings.BASE_DIR,
                env={**os.environ, "DSMART_HOSTS": f"{HOST},localhost", **environment},
                stdout=stdout,
                stderr=stderr,
            )
        try:
            answer_wait(process, port, output, errors)
            yield ServedProduct(port=port, pid=process.pid, errors=errors)
        finally:
            stop(process)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def answer_wait(process: subprocess.Popen[bytes], port: int, output: Path, errors: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"http://{HOST}:{port}/healthz", timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(POLL_S)
    said = [line for file in (output, errors) for line in file.read_text(errors="replace").splitlines()[-LINES_SHOWN:]]
    state = f"ended with status {process.returncode}" if process.poll() is not None else "does not answer"
    raise EvaluationError(f"The server {state}: {' | '.join(said) or 'it said nothing'}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def guest_create(name: str) -> Guest:
    """Make an account with a space and a conversation, signed in."""
    user = User.objects.create_user(username=name)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    conversation = conversation_create(owner=user, space=space_personal(user=user))
    return Guest(conversation=conversation, cookie=f"{settings.SESSION_COOKIE_NAME}={session.session_key}")


def guest_forget(guest: Guest) -> None:
    """Delete the account and everything that it has."""
    owner = guest.conversation.owner
    space_forget(space=guest.conversation.space)
    owner.delete()


@contextmanager
def guests() -> Iterator[Callable[[], Guest]]:
    """Give a way to make people, who are gone after the block with all that they said."""
    name, made = f"bench-{uuid.uuid4().hex[:8]}", list[Guest]()

    def come() -> Guest:
        made.append(guest_create(f"{name}-{len(made)}"))
        return made[-1]

    try:
        yield come
    finally:
        for guest in made:
            guest_forget(guest)


READY_POLL_S = 0.2
WORKERS = MappingProxyType({"reply": 4, "maintenance": 2, "imports,evaluation": 1})


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
            time.sleep(READY_POLL_S)


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
                time.sleep(READY_POLL_S)
            yield
        finally:
            stop(process)
