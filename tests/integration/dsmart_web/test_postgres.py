"""The supervisor of the embedded PostgreSQL, on real servers in folders of their own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from dsmart_web.embedded import postmaster
from dsmart_web.embedded.errors import EmbeddedServiceError
from dsmart_web.embedded.postgres import EmbeddedPostgres, failure_in, shared_buffers_mb

ROOT = Path(__file__).resolve().parents[3]
USER_OF_SERVER = """
import sys, time
from pathlib import Path
from dsmart_web.embedded.postgres import EmbeddedPostgres
server = EmbeddedPostgres(home=Path(sys.argv[1]), sockets=Path(sys.argv[2]))
print("started" if server.join() else "joined", flush=True)
sys.stdin.readline()
server.leave()
print("left", flush=True)
"""


@pytest.fixture
def server() -> Iterator[EmbeddedPostgres]:
    # Below a folder that only we can enter, as below /root: the server's own user must manage all the same.
    folder = Path(tempfile.mkdtemp(prefix="dsmart-test-"))
    made = EmbeddedPostgres(home=folder / "home" / "postgres", sockets=folder.with_name(f"{folder.name}-s"))
    yield made
    while made._users:
        made.leave()
    postmaster.dismiss_watcher(made.home) if made.home.exists() else None
    postmaster.stop(made.data)
    shutil.rmtree(folder)
    shutil.rmtree(made.sockets, ignore_errors=True)


def other_user(server: EmbeddedPostgres) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", USER_OF_SERVER, str(server.home), str(server.sockets)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def gone(pid: int, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while postmaster.is_postgres(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_server_starts_with_pgvector_and_stops_with_its_only_user(server: EmbeddedPostgres) -> None:
    assert server.join() is True
    pid = postmaster.running_pid(server.data)
    with psycopg.connect(server.dsn()) as connection:
        connection.execute("create extension vector")
        (distance,) = connection.execute("select '[1,0]'::vector <-> '[0,0]'::vector").fetchone()
    server.leave()
    assert distance == 1.0
    assert pid is not None and not postmaster.is_postgres(pid)
    assert postmaster.is_free(server.home / "watcher.lock")


def test_server_lets_nobody_in_without_the_password(server: EmbeddedPostgres) -> None:
    server.join()
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"host={server.sockets} user=dsmart dbname=dsmart password=wrong")
    with psycopg.connect(server.dsn()) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("",)
    assert server.passfile.stat().st_mode & 0o077 == 0


def test_server_is_shared_and_the_last_user_stops_it(server: EmbeddedPostgres) -> None:
    server.join()
    pid = postmaster.running_pid(server.data)
    other = other_user(server)
    assert said(other) == "joined"
    server.leave()
    assert postmaster.running_pid(server.data) == pid
    other.communicate("\n", timeout=30)
    assert pid is not None and not postmaster.is_postgres(pid)


def test_join_nests_within_a_process(server: EmbeddedPostgres) -> None:
    assert (server.join(), server.join()) == (True, False)
    server.leave()
    assert postmaster.running_pid(server.data) is not None
    server.leave()
    assert postmaster.running_pid(server.data) is None


def test_server_recovers_after_kill_of_the_postmaster(server: EmbeddedPostgres) -> None:
    server.join()
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute("create table kept (word text)")
        connection.execute("insert into kept values ('Lyon')")
    pid = postmaster.running_pid(server.data)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert gone(pid, within_s=5)
    again = EmbeddedPostgres(home=server.home, sockets=server.sockets)
    assert again.join() is True
    with psycopg.connect(again.dsn()) as connection:
        assert connection.execute("select word from kept").fetchone() == ("Lyon",)
    server.leave()
    again.leave()
    assert postmaster.running_pid(server.data) is None


def test_server_stops_when_its_only_user_was_killed(server: EmbeddedPostgres) -> None:
    only = other_user(server)
    assert said(only) == "started"
    pid = postmaster.running_pid(server.data)
    only.kill()
    only.wait()
    assert pid is not None and gone(pid, within_s=10)


def test_server_is_joined_while_the_user_that_started_it_was_killed(server: EmbeddedPostgres) -> None:
    first = other_user(server)
    assert said(first) == "started"
    server.join()
    pid = postmaster.running_pid(server.data)
    first.kill()
    first.wait()
    time.sleep(3 * postmaster.WATCH_INTERVAL_S)
    assert postmaster.running_pid(server.data) == pid


def test_interrupted_first_start_is_begun_anew(server: EmbeddedPostgres) -> None:
    (server.home / "data.new").mkdir(parents=True)
    (server.home / "data.new" / "PG_VERSION").write_text("18")
    assert server.join() is True
    with psycopg.connect(server.dsn()) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_foreign_process_id_in_the_pid_file_is_not_taken_for_the_server(server: EmbeddedPostgres) -> None:
    server.join()
    server.leave()
    (server.data / "postmaster.pid").write_text(f"{os.getpid()}\n")
    assert server.join() is True


@pytest.mark.parametrize("place", ["/proc/dsmart", "/dev/null/dsmart"])
def test_folder_that_cannot_be_written_is_said_in_one_line(place: str, tmp_path: Path) -> None:
    server = EmbeddedPostgres(home=Path(place), sockets=tmp_path / "s")
    with pytest.raises(EmbeddedServiceError, match=r"The data folder .* cannot be written .* DSMART_HOME") as raised:
        server.join()
    assert "\n" not in str(raised.value)


def test_socket_path_over_the_limit_is_said_in_one_line(tmp_path: Path) -> None:
    server = EmbeddedPostgres(home=tmp_path / "home", sockets=tmp_path / ("s" * 120))
    with pytest.raises(EmbeddedServiceError, match=r"longer than 107 bytes\. Set TMPDIR"):
        server.join()
    assert not (tmp_path / "home").exists()


def test_server_that_refuses_its_settings_is_said_in_one_line(server: EmbeddedPostgres) -> None:
    server.join()
    server.leave()
    with (server.data / "postgresql.conf").open("a") as handle:
        handle.write("work_mem = 'a lot'\n")
    with pytest.raises(EmbeddedServiceError, match="work_mem") as raised:
        server.join()
    assert "\n" not in str(raised.value)
    assert str(server.data / "server.log") in str(raised.value)


def test_new_server_shares_an_eighth_of_the_memory_within_limits(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.join()
    with psycopg.connect(server.dsn()) as connection:
        shown = connection.execute("select setting::int * 8 / 1024 from pg_settings where name = 'shared_buffers'")
        assert shown.fetchone() == (shared_buffers_mb(),)
    for pages, megabytes in ((100_000, 128), (1_048_576, 512), (100_000_000, 1024)):
        monkeypatch.setattr(os, "sysconf", lambda name, pages=pages: pages if name == "SC_PHYS_PAGES" else 4096)
        assert shared_buffers_mb() == megabytes


def test_full_disk_under_initdb_is_said_in_one_line() -> None:
    said_by_initdb = 'creating subdirectories ... initdb: error: could not write "x": No space left on device\n'
    assert failure_in(said_by_initdb) == (
        "The disk is full. Free some space, or set DSMART_HOME to a folder with free space."
    )


def test_server_that_died_under_its_user_is_started_again_with_its_data(server: EmbeddedPostgres) -> None:
    server.join()
    with psycopg.connect(server.dsn()) as connection:
        connection.execute("create table kept as select 1 as number")
    assert server.mend() is False
    pid = postmaster.running_pid(server.data)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert gone(pid, 5)
    assert server.mend() is True
    with psycopg.connect(server.dsn()) as connection:
        assert connection.execute("select number from kept").fetchone() == (1,)
