"""`manage.py serve`, started as a person starts it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from dsmart_web.embedded import postmaster
from tests.product import ROOT, ServedProduct

pytestmark = pytest.mark.slow
GONE = "postgresql://nobody:secret@127.0.0.1:1/nowhere"


def serve(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py serve` where it is expected to end by itself."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DSMART_")}
    return subprocess.run(
        [sys.executable, "manage.py", "serve", *(arguments or ("--port", "0"))],
        cwd=ROOT,
        env={**clean, "DJANGO_SETTINGS_MODULE": "dsmart_web.settings", "DSMART_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=90,
    )


def processes_of(home: Path) -> list[str]:
    """Return the command lines that name the data folder, and the server on it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(home) in command:
            found.append(command)
    pid = postmaster.running_pid(home / "postgres" / "data")
    return [*found, *([f"postgres {pid}"] if pid else [])]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> ServedProduct:
    """A product that has been started and stopped once."""
    made = ServedProduct(tmp_path_factory.mktemp("served"))
    made.start()
    assert made.stop() == 0
    assert processes_of(made.home) == []
    return made


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_starts_again_and_leaves_no_process(product: ServedProduct, number: int) -> None:
    link = product.start()
    try:
        idle = {
            name: {"length": 0, "oldest_s": 0.0} for name in ("reply", "maintenance", "imports", "evaluation", "outbox")
        }
        assert httpx.get(f"{product.address}/healthz").json() == {"status": "ok", "queues": idle}
        assert httpx.get(link, follow_redirects=True).status_code == 200
        # Neither the network library nor the models' one may be in the process that serves with the built-in engine.
        assert product.process is not None
        assert "libtorch" not in Path(f"/proc/{product.process.pid}/maps").read_text()
    finally:
        status = product.stop(number)
    assert status == 0
    assert processes_of(product.home) == []
    shown = "".join(product.output)
    for step in ("PostgreSQL", "tables", "sentence encoder", "static files", "owner account", "worker", "listening"):
        assert step in shown


def test_serve_takes_over_what_a_kill_left(product: ServedProduct) -> None:
    product.start()
    assert product.process is not None
    product.process.kill()
    product.process.wait()
    product.start()
    assert httpx.get(f"{product.address}/healthz").status_code == 200
    assert product.stop() == 0
    assert processes_of(product.home) == []


def test_commands_share_the_server_of_a_running_product(product: ServedProduct) -> None:
    product.start()
    shown = product.manage("showmigrations", "--plan")
    assert "[X]  conversations.0001_initial" in shown
    assert httpx.get(f"{product.address}/healthz").status_code == 200
    assert product.stop() == 0


def test_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = serve(tmp_path / "home", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr.startswith(f"CommandError: Port {port} on 127.0.0.1 cannot be used (Address already in use).")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "home" / "postgres").exists()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"DATABASE_URL": GONE}, "The database at 127.0.0.1:1/nowhere cannot be reached"),
        ({"DATABASE_URL": "mysql://host/name"}, "DATABASE_URL is not the address of a PostgreSQL database"),
        ({"DATABASE_URL": "postgresql://h:port/x"}, "DATABASE_URL is not the address of a PostgreSQL database"),
        ({"DSMART_HOME": "/proc/dsmart"}, "The data folder /proc/dsmart cannot be written"),
        ({"DSMART_LEASE_S": "soon"}, "DSMART_LEASE_S is 'soon'. Set it to a number."),
        ({"DSMART_HTTPS": "perhaps"}, "DSMART_HTTPS is 'perhaps'. Set it to 1 or 0."),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(environment: dict[str, str], said: str, tmp_path: Path) -> None:
    done = serve(tmp_path / "home", **environment)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"REDIS_URL": "redis://127.0.0.1:1/0"}, "The Redis server at 127.0.0.1:1 cannot be reached"),
        ({"DSMART_ENGINE": "oracle:delphi"}, "'oracle:delphi'"),
    ],
)
def test_what_is_found_out_late_stops_the_database_again(
    product: ServedProduct, environment: dict[str, str], said: str
) -> None:
    done = serve(product.home, **environment)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert processes_of(product.home) == []


def test_worker_without_a_broker_says_what_it_needs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "dsmart_web", "worker"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "dsmart_web.settings", "DSMART_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "Set REDIS_URL." in done.stderr
    assert "Traceback" not in done.stderr
