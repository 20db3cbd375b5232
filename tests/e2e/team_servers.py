"""A PostgreSQL and a Redis server as a team has them: `python -m tests.e2e.team_servers COMMAND ...`.

Starts both on free ports of this machine, the PostgreSQL from the bundled binaries but without the product's supervisor, and
runs the command with DATABASE_URL and REDIS_URL set.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from dsmart_web.embedded.operating_system_user import server_user
from dsmart_web.embedded.postgres import bundled_binaries
from tests.product import ROOT, free_port

GUIDE = ROOT / "docs" / "deployment.md"


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """Yield the address of a database with pgvector on a server over TCP, for a role with a password and no rights beyond it.

    What the role may not do itself was run by a superuser, as the guide says it.
    """
    user, port, password = server_user(), free_port(), secrets.token_hex(16)
    binaries = user.reachable(bundled_binaries())
    data, secret = folder / "postgres", folder / "password"
    data.mkdir()
    secret.write_text(password)
    for thing in (data, secret):
        user.own(thing)
    folder.chmod(0o755)
    with user.entering(data) as (place, how):
        initdb = [binaries / "initdb", "-D", place, "-U", "team", "-A", "scram-sha-256", f"--pwfile={secret}"]
        subprocess.run([*initdb, "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL, **how)  # type: ignore[call-overload]
        options = f"-c listen_addresses=127.0.0.1 -p {port} -c unix_socket_directories=''"
        control = [binaries / "pg_ctl", "-D", place, "-w"]
        started = [*control, "-o", options, "-l", "/dev/null", "start"]
        subprocess.run(started, check=True, stdout=subprocess.DEVNULL, **how)  # type: ignore[call-overload]
        try:
            address = f"postgresql://team:{password}@127.0.0.1:{port}"
            with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
                connection.execute(f"create role dsmart login password '{password}'")
                connection.execute("create database team owner dsmart")
            with psycopg.connect(f"{address}/team", autocommit=True) as connection:
                connection.execute("create extension vector")
                connection.execute(run_once())
            yield address.replace("//team:", "//dsmart:") + "/team"
        finally:
            subprocess.run([*control, "-m", "fast", "stop"], check=True, stdout=subprocess.DEVNULL, **how)  # type: ignore[call-overload]


def run_once() -> str:
    """Return what the guide lets an administrator of the server run once."""
    (statements,) = re.findall(r"```sql\n(CREATE ROLE dsmart_app.*?)```", GUIDE.read_text(), re.DOTALL)
    return str(statements)


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Yield the address of a Redis server that keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        sys.exit("redis-server is not installed. On Debian or Ubuntu: apt-get install redis-server")
    port = free_port()
    server = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(10)


def main(command: list[str]) -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dsmart-team-")))
        environment = {
            **os.environ,
            "DATABASE_URL": stack.enter_context(postgres_server(folder)),
            "REDIS_URL": stack.enter_context(redis_server(folder)),
        }
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
