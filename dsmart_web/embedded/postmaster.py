"""Finds and stops a PostgreSQL server by its data folder, and watches over one whose users may be killed.

Run as a script (`python postmaster.py HOME`) it is the watcher: a process of a few megabytes that stops the server once
nobody holds `users.lock` any more. The kernel drops a lock with its process, so that this holds after `kill -9` too. Only
the standard library is imported: the watcher must stay small, and must not depend on the product's settings.
"""

import fcntl
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STOP_TIMEOUT_S = 60.0
WATCH_INTERVAL_S = 0.5


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold an exclusive lock on `file`, waiting for it."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def is_free(file: Path) -> bool:
    """Return whether no process holds a lock on `file`."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def recorded_pid(data: Path) -> int | None:
    """Return the process id in `postmaster.pid`, or None when there is no such file or it is unfinished."""
    try:
        return int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def is_postgres(pid: int) -> bool:
    """Return whether `pid` is a live PostgreSQL process: a zombie is dead, and a reused number is somebody else."""
    if not Path("/proc/self/stat").exists():
        return _exists(pid)
    try:
        name, state = Path(f"/proc/{pid}/stat").read_text().split("(", 1)[1].rsplit(") ", 1)
    except OSError:
        return False
    return name == "postgres" and state[0] not in "ZX"


def running_pid(data: Path) -> int | None:
    """Return the process id of the server that has `data` open, or None."""
    pid = recorded_pid(data)
    return pid if pid is not None and is_postgres(pid) else None


def is_ready(data: Path) -> bool:
    try:
        return (data / "postmaster.pid").read_text().rstrip().endswith("ready")
    except FileNotFoundError:
        return False


def orphans(data: Path) -> list[int]:
    """Return the live server processes whose working folder is `data`; a killed postmaster may leave some for a moment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "cwd") == str(data) and is_postgres(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            continue  # it ended while we looked, or belongs to another user and so cannot be one of ours
    return found


def stop(data: Path, timeout_s: float = STOP_TIMEOUT_S) -> bool:
    """Stop the server on `data` and return whether it is gone: a fast shutdown, then an immediate one."""
    pid = running_pid(data)
    if pid is None:
        return True
    for kind, wait_s in ((signal.SIGINT, timeout_s), (signal.SIGQUIT, 10.0)):
        try:
            os.kill(pid, kind)
        except ProcessLookupError:
            return True
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            if not is_postgres(pid):
                return True
            time.sleep(0.01)
    return False


def watch(home: Path) -> None:
    """Stop the server of `home` when its last user is gone, then return.

    The process that starts this holds `watcher.lock` for it.
    """
    while True:
        time.sleep(WATCH_INTERVAL_S)
        if not (home / "data").exists():
            return
        if is_free(home / "users.lock"):
            with locked(home / "start.lock"):
                if is_free(home / "users.lock"):
                    stop(home / "data")
                    return


def dismiss_watcher(home: Path) -> None:
    """End the watcher of `home`, if there is one, and wait until it is gone."""
    file = home / "watcher.lock"
    deadline = time.monotonic() + 5
    while not is_free(file) and time.monotonic() < deadline:
        written = file.read_text()
        if written:
            with suppress(ProcessLookupError):
                os.kill(int(written), signal.SIGTERM)
        time.sleep(0.01)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
