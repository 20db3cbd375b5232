"""`manage.py serve`: everything that the product needs, in one process, until Ctrl-C or SIGTERM."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from dsmart_web.embedded import preparation
from dsmart_web.embedded.database import database_join, database_leave
from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.wordnet import wordnet_prepare

HOST, PORT = "127.0.0.1", 8080
GRACE_S = 3
REDIS_TIMEOUT_S = 5
# Lines and headers of a request come within this time of the connection, or of their own first byte on one that is kept.
HEAD_S, HEAD_BYTES = 15, 64 * 1024
# What is given up is closed so much later than its answer is written.
LINGER_S = 2
TOO_SLOW = b"The head of the request came too slowly. Try again on a better connection."
TOO_LARGE = b"The head of the request is too large. Send fewer or shorter headers."
# A tenth of the interpreter's own: a thread that writes a first word waits so much less for those that compute.
SWITCH_S = 0.0005
Result = TypeVar("Result")
logger = logging.getLogger(__name__)
# What was started is told whatever the level of the log.
logger.setLevel(logging.INFO)


class Command(BaseCommand):
    help = "Start the product: database, tables, worker and web server. Prints a one-time sign-in link."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=HOST, help=f"the address to listen on (default {HOST})")
        parser.add_argument("--port", type=int, default=PORT, help=f"the port to listen on (default {PORT})")
        parser.add_argument(
            "--with-worker",
            action="store_true",
            help="also run the worker in this process when REDIS_URL is set (it always runs here without REDIS_URL)",
        )

    def handle(self, *, host: str, port: int, with_worker: bool, **_: Any) -> None:
        from memory.core.errors import MemoryCoreError

        signal.signal(signal.SIGTERM, _interrupt)
        sys.setswitchinterval(SWITCH_S)
        # Whitenoise hands out a static file as a synchronous iterator, which is read whole: our files are small.
        warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
        self.began = time.monotonic()
        listening = _listen(host, port)
        stack = ExitStack()
        try:
            self._start(stack, listening, with_worker=with_worker or not settings.REDIS_URL)
        except KeyboardInterrupt:
            self._line("stopping")
        except (EmbeddedServiceError, MemoryCoreError) as error:
            stack.close()
            raise CommandError(str(error)) from error
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            stack.close()
            listening.close()
        if self._stuck_threads():
            # A task that does not end would keep the interpreter waiting for its thread. Its lease runs out, and the next
            # start resumes it.
            sys.stdout.flush()
            os._exit(0)

    def _start(self, stack: ExitStack, listening: socket.socket, *, with_worker: bool) -> None:
        self._step("data folder", preparation.data_folder_prepare)
        stack.callback(database_leave)
        self._step("PostgreSQL", database_join)
        if settings.REDIS_URL:
            self._step("Redis", _broker_check)
        self._step("tables", preparation.tables_prepare)
        self._step("sentence encoder", preparation.embedder_export)
        self._step("WordNet", wordnet_prepare)
        self._step("static files", preparation.static_collect)
        self._step("engine", _engine_prepare if with_worker else _engine_name)
        link = self._step("owner account", lambda: _sign_in_link(listening))
        if with_worker:
            self._step("worker", lambda: _worker_start(stack))
        else:
            self._line("  worker             its own process: celery -A dsmart_web worker")
        _sweeping_start(stack)
        server = web_server()
        # From here on a signal asks the server to end: an interrupt within its start could be lost.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, server.handle_exit)
        self._line(f"listening on {_address(listening)} after {time.monotonic() - self.began:.1f} s")
        if settings.DSMART_LOG_FORMAT == "line":
            self._line(f"\nSign in (once, as the owner): {link}\nCtrl-C stops the product.\n")
        gc.freeze()
        server.run(sockets=[listening])
        self._line("stopping")

    def _step(self, name: str, action: Callable[[], str]) -> str:
        """Run one step and print its line: name, what it did, how long it took."""
        began = time.monotonic()
        done = action()
        shown = "ready" if name == "owner account" else done
        self._line(f"  {name:<18} {shown} ({time.monotonic() - began:.2f} s)")
        return done

    def _line(self, text: str) -> None:
        """Say a line to the terminal, or to a log that programs read: the link to sign in is in no log."""
        if settings.DSMART_LOG_FORMAT == "json":
            logger.info(" ".join(text.split()))
            return
        self.stdout.write(text)
        self.stdout.flush()

    def _stuck_threads(self) -> bool:
        others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
        return any(not thread.daemon or thread.name.startswith("ThreadPoolExecutor") for thread in others)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is started, so that a second start fails at once and with nothing to undo."""
    if not 0 <= port < 65536:
        raise CommandError(f"{port} is not a port. Choose one from 1 to 65535 with --port, or 0 for a free one.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(1024)
    except socket.gaierror as error:
        raise CommandError(f"{host!r} is not an address of this machine. Choose another with --host.") from error
    except OSError as error:
        raise CommandError(
            f"Port {port} on {host} cannot be used ({error.strerror}). "
            f"Stop what uses it, or choose another: make run PORT={port % 65535 + 1}"
        ) from error
    return listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    name = "localhost" if host in {"127.0.0.1", "0.0.0.0", "::", "::1"} else host  # noqa: S104
    return f"http://{name}:{port}"


def _broker_check() -> str:
    """Raise a sentence when the server of REDIS_URL cannot be reached; else return where it is, without its password."""
    parts = urlsplit(settings.REDIS_URL)
    try:
        where = f"{parts.hostname or parts.path}:{parts.port or 6379}"
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=REDIS_TIMEOUT_S, socket_timeout=REDIS_TIMEOUT_S
        ) as client:
            client.ping()
    except ValueError as error:
        raise EmbeddedServiceError(f"REDIS_URL is not the address of a Redis server: {error}.") from error
    except redis.RedisError as error:
        raise EmbeddedServiceError(
            f"The Redis server at {where} cannot be reached: {error}. Start it, or correct or unset REDIS_URL."
        ) from error
    return f"at {where}"


def _engine_name() -> str:
    from memory.bootstrap import engine_check

    engine_check(settings.DSMART_ENGINE)
    return str(settings.DSMART_ENGINE)


def _engine_prepare() -> str:
    """Load what the first reply would otherwise wait for."""
    from memory import bootstrap

    return bootstrap.engine_warm().name


def _sign_in_link(listening: socket.socket) -> str:
    from memory.adapters.row_security.scope import everything
    from memory.services.accounts import owner_account, sign_in_path

    with everything():
        return f"{_address(listening)}{sign_in_path(owner_account())}"


def _worker_start(stack: ExitStack) -> str:
    from dsmart_web.celery import app
    from dsmart_web.embedded.celery_worker import EmbeddedWorker

    worker = EmbeddedWorker(app)
    stack.callback(worker.stop)
    worker.start()
    return "started"


def _sweeping_start(stack: ExitStack) -> None:
    from dsmart_web.embedded.sweeper import sweeper

    stack.callback(sweeper().stop)
    sweeper().start()


class BoundedHeads(HttpToolsProtocol):
    """The web server's protocol, which gives up a connection on which no whole head of a request comes in time and size."""

    _giving_up: asyncio.TimerHandle | None = None
    _is_given_up = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_await()

    def data_received(self, data: bytes) -> None:
        if self._is_given_up:
            return
        if self.cycle is None or self.cycle.response_complete:
            self._head_await()
        super().data_received(data)
        self._head_bytes = self._head_bytes + len(data) if self._giving_up is not None else 0
        if self._head_bytes > HEAD_BYTES:
            self._give_up("431 Request Header Fields Too Large", TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._head_forget()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_forget()
        super().connection_lost(exc)

    def _head_await(self) -> None:
        self._giving_up = self._giving_up or self.loop.call_later(
            HEAD_S, self._give_up, "408 Request Timeout", TOO_SLOW
        )

    def _head_forget(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

    def _give_up(self, status: str, said: bytes) -> None:
        if not (self._is_given_up or self.transport.is_closing()):
            head = f"HTTP/1.1 {status}\r\ncontent-type: text/plain\r\nconnection: close\r\n"
            self.transport.write(f"{head}content-length: {len(said)}\r\n\r\n".encode() + said)
            self.transport.write_eof()
            # Closed at once, the answer would be lost with what the peer sends meanwhile.
            self._is_given_up = True
            self.loop.call_later(LINGER_S, self.transport.close)


def web_server() -> uvicorn.Server:
    """Return the web server of the product, which is not running yet."""
    from django.urls import get_resolver

    from dsmart_web.asgi import application

    # All pages are imported now: the first visitor would wait for it.
    _ = get_resolver().url_patterns
    level = logging.getLevelName(logging.getLogger().getEffectiveLevel()).lower()
    return uvicorn.Server(
        uvicorn.Config(
            application,
            http=BoundedHeads,
            lifespan="off",
            log_config=None,
            log_level=level,
            access_log=False,
            ws_max_size=1024 * 1024,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_S,
        )
    )
