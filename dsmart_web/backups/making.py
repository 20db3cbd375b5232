"""Makes a backup while the product runs: dump, card and counts of one snapshot of the database."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace as with_values
from pathlib import Path

import psycopg
from django.conf import settings
from psycopg import IsolationLevel

from dsmart_web.backups.archive import AT_ONCE, archive_check, archive_write, written_whole
from dsmart_web.backups.errors import BackupNotMade
from dsmart_web.backups.manifest import Manifest, manifest_of
from dsmart_web.backups.programs import Server, programs_check, reason_in
from memory.models import ActRecord
from memory.services.acts import act_record


def backup_make(file: Path, *, replace: bool = False, with_secret_key: bool = False) -> Manifest:
    """Write a backup of the whole database and return its card. The log of acts tells of it.

    Raises `BackupError`; nothing is left of the file then.
    """
    server = Server.used()
    try:
        with server.connect() as connection:
            connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
            programs_check(connection.info.server_version // 10000, "pg_dump", "pg_restore")
            made = snapshot_write(server, connection, file, replace=replace, with_secret_key=with_secret_key)
    except psycopg.Error as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise BackupNotMade(f"The database cannot be read: {reason}.") from error
    if ActRecord._meta.db_table in made.rows:
        act_record(kind=ActRecord.Kind.BACKUP, words=file.name)
    return made


def snapshot_write(
    server: Server, connection: psycopg.Connection, file: Path, *, replace: bool, with_secret_key: bool
) -> Manifest:
    told = connection.execute("select pg_export_snapshot()").fetchone()
    card = manifest_of(connection)
    with written_whole(file, replace=replace) as handle:
        made = archive_write(
            handle,
            dumped(server, snapshot=str(told[0]) if told else ""),
            card=lambda digest: with_values(card, sha256=digest),
            secret=settings.SECRET_KEY if with_secret_key else "",
        )
        handle.flush()
        archive_check(handle)
    return made


def dumped(server: Server, *, snapshot: str) -> Iterator[bytes]:
    """Yield the dump of a snapshot as pg_dump writes it. Raises `BackupNotMade` where it fails."""
    with tempfile.TemporaryFile() as said:
        dump = server.start(
            "pg_dump",
            *(
                "--format=custom",
                "--no-owner",
                "--enable-row-security",
                "--schema=public",
                f"--snapshot={snapshot}",
                f"--dbname={server.address}",
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
        )
        assert dump.stdout is not None  # noqa: S101 (for the type)
        try:
            while piece := dump.stdout.read(AT_ONCE):
                yield piece
            if dump.wait():
                said.seek(0)
                raise BackupNotMade(
                    f"{reason_in(said.read().decode(errors='replace'), 'pg_dump')}. No backup was made."
                )
        finally:
            dump.stdout.close()
            dump.kill()
            dump.wait()
