"""Finds PostgreSQL's programs for the database that is used, and runs them without a password among their arguments."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import pq
from psycopg.conninfo import make_conninfo

from dsmart_web.backups.errors import BackupError
from dsmart_web.embedded.postgres import bundled_binaries
from memory.adapters.row_security.base import ALL

VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
# The policies of tables bind their owner too.
ALL_ROWS = f"-c dsmart.spaces={ALL}"
LIBPQ = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} - {"options"}


@dataclass(frozen=True)
class Server:
    """The database of the settings: how it is reached, by whom, and the programs that fit it."""

    address: str
    password: str

    @classmethod
    def used(cls) -> Server:
        """Return the database that Django uses, as the owner of its tables."""
        chosen: Mapping[str, Any] = connection.settings_dict
        named = {"host": chosen["HOST"], "port": chosen["PORT"], "user": chosen["USER"], "dbname": chosen["NAME"]}
        options = {name: str(value) for name, value in chosen["OPTIONS"].items() if name in LIBPQ}
        given = {name: str(value) for name, value in named.items() if value}
        return cls(make_conninfo("", **given, **options), str(chosen.get("PASSWORD") or ""))

    def connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.address, password=self.password or None, options=ALL_ROWS)

    def start(self, name: str, *arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
        """Start one of PostgreSQL's programs, in English and without the caller's PG* variables."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PG", "LC_", "LANG"))}
        password = {"PGPASSWORD": self.password} if self.password else {}
        command = [str(program(name)), *arguments]
        return subprocess.Popen(command, env={**kept, "LC_ALL": "C", "PGOPTIONS": ALL_ROWS, **password}, **streams)


def program(name: str) -> Path:
    """Return where a program is: the bundled one of the embedded server, else the one on PATH. Raises `BackupError`."""
    if not settings.DATABASE_URL:
        return bundled_binaries() / name
    found = shutil.which(name)
    if found is None:
        raise BackupError(
            f"{name} is not on PATH. Install PostgreSQL's client programs of the server's version "
            "(Debian: postgresql-client-NN)."
        )
    return Path(found)


def programs_check(server_version: int, *names: str) -> None:
    """Raise `BackupError` unless each program is there, and as new as the server of this major version."""
    for name in names:
        path = program(name)
        told = VERSION.search(subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout)
        major = int(told[1]) if told else 0
        if major < server_version:
            raise BackupError(
                f"{path} is of PostgreSQL {major or 'an unknown version'}, and the server is of {server_version}. "
                f"Install the client programs of PostgreSQL {server_version}, and put them first on PATH."
            )


def reason_in(said: str, name: str) -> str:
    """Return the line of a program's output that tells why it ended."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    wrong = [line for line in lines if any(sign in line for sign in ("ERROR:", "FATAL:", "error:"))]
    return (wrong or lines[-1:] or [f"{name} ended without a word"])[0]
