"""Brings a backup back in one transaction: everything of it, or the database stays as it was.

PostgreSQL's `pg_restore` turns the dump into a script, which `psql` runs between a beginning that empties the database and an
end that counts its rows again. The `commit` is the last line, sent only when all before it has succeeded: whoever is
killed before leaves a transaction that the server rolls back.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import psycopg
from django.conf import settings
from django.db import connection as django_connection
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from dsmart_web.backups.archive import SECRET, archive_check, archive_opened, dump_pieces
from dsmart_web.backups.errors import BackupDamaged, RestoreRefused
from dsmart_web.backups.manifest import Manifest, secret_fingerprint, version_check
from dsmart_web.backups.programs import Server, programs_check, reason_in
from dsmart_web.embedded.preparation import tables_prepare
from memory.adapters.row_security.scope import as_owner
from memory.adapters.row_security.wall import wall_make
from memory.models import ActRecord
from memory.services.acts import act_record

# A connection that was closed, also our own, is gone from the server a moment later.
LEAVING_S = 3.0
# Whatever the database has, but for what belongs to extensions, which only a superuser may be able to make again, and for
# sequences and partitions, which go with their tables.
EMPTY = """
do $$ declare one record; begin
    for one in
        select case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end
                   as kind, oid::regclass::text as name
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f', 'v', 'm', 'S')
          and not exists (select from pg_depend where objid = pg_class.oid and deptype in ('e', 'i', 'a'))
        union all
        select 'routine', oid::regprocedure::text from pg_proc where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
        union all
        select 'type', oid::regtype::text from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
          and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')
    loop execute format('drop %s if exists %s cascade', one.kind, one.name); end loop;
end $$;
"""
COUNT = """
do $$ begin
    if (select count(*) from public.{table}) <> {rows} then
        raise exception 'The dump has other rows than its card says.';
    end if;
end $$;
"""
ROLE = """
do $$ begin
    if not exists (select from pg_roles where rolname = {name}) then
        create role {role} nologin;
        grant {role} to current_user;
    end if;
end $$;
"""


def backup_restore(
    file: Path, *, replace: Callable[[], bool] = lambda: False, with_secret_key: bool = False
) -> Manifest:
    """Restore a backup, bring its tables up to date, and return its card.

    `replace` is asked where the database is not empty. Raises `BackupError`; the database is as it was then.
    """
    try:
        made = archive_check(file)
    except BackupDamaged as damaged:
        raise BackupDamaged(f"{file}: {damaged}") from damaged
    server = Server.used()
    try:
        with server.connect() as connection:
            major = connection.info.server_version // 10000
            programs_check(major, "pg_restore", "psql")
            version_check(made, server_version=major, known=known_migrations())
            others_check(connection)
            if has_tables(connection) and not replace():
                raise RestoreRefused(
                    "The database is not empty. Add --replace to put the backup in the place of all it has."
                )
            opening, ending = (part.as_string(connection) for part in (beginning(made), end(made)))
        with archive_opened(file) as archive:
            secret = secret_key_in(archive) if with_secret_key else b""
            script_run(server, archive, opening=opening, ending=ending)
    except psycopg.Error as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise RestoreRefused(f"The database cannot be used: {reason}.") from error
    if secret:
        secret_key_keep(secret)
    after_restore(file)
    return made


def after_restore(file: Path) -> None:
    """Do in a restored database what a dump does not bring: newer tables, statistics of the planner, a line of the log."""
    django_connection.close()
    tables_prepare()
    wall_make()
    with as_owner(), django_connection.cursor() as cursor:
        cursor.execute("analyze")
    act_record(kind=ActRecord.Kind.RESTORE, words=file.name)


def known_migrations() -> dict[str, set[str]]:
    known: dict[str, set[str]] = {}
    for app, name in MigrationLoader(None).disk_migrations:
        known.setdefault(app, set()).add(name)
    return known


def others_check(connection: psycopg.Connection) -> None:
    """Raise `RestoreRefused` while anybody else is connected to the database."""
    django_connection.close()
    give_up = time.monotonic() + LEAVING_S
    while (others := others_connected(connection)) and time.monotonic() < give_up:
        time.sleep(0.1)
    if others:
        raise RestoreRefused(
            f"{others} other connection{'s are' if others > 1 else ' is'} using the database. "
            "Stop the product and its workers, and try again."
        )


def others_connected(connection: psycopg.Connection) -> int:
    connection.execute("select pg_stat_clear_snapshot()")
    [others] = connection.execute(
        "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() "
        "and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend'"
    ).fetchone() or [0]
    return int(others)


def has_tables(connection: psycopg.Connection) -> bool:
    found = connection.execute(
        "select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') "
        "and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') limit 1"
    )
    return found.fetchone() is not None


def beginning(made: Manifest) -> sql.Composed:
    roles = [sql.SQL(ROLE).format(name=sql.Literal(name), role=sql.Identifier(name)) for name in made.roles]
    vector = sql.SQL("create extension if not exists vector schema public;\n")
    return sql.Composed([sql.SQL("begin;\n"), *roles, sql.SQL(EMPTY), vector])


def end(made: Manifest) -> sql.Composed:
    counts = [
        sql.SQL(COUNT).format(table=sql.Identifier(table), rows=sql.Literal(rows)) for table, rows in made.rows.items()
    ]
    return sql.Composed([*counts, sql.SQL("commit;\n")])


def script_run(server: Server, archive: zipfile.ZipFile, *, opening: str, ending: str) -> None:
    """Run the script of a dump between a beginning and an end. Raises `RestoreRefused` where any of it fails."""
    with tempfile.TemporaryFile() as said:
        psql = server.start(
            "psql",
            *("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", f"--dbname={server.address}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        assert psql.stdin is not None  # noqa: S101 (for the type)
        try:
            with suppress(BrokenPipeError):  # psql has ended, and tells why
                psql.stdin.write(opening.encode())
                psql.stdin.flush()
                if scripted(server, archive, into=psql.stdin, said=said):
                    psql.stdin.write(ending.encode())
            with suppress(BrokenPipeError):
                psql.stdin.close()
            psql.wait()
            said.seek(0)
            told = said.read().decode(errors="replace")
            if psql.returncode or "error:" in told or "ERROR:" in told:
                raise RestoreRefused(f"The backup was not restored, and nothing has changed: {reason_in(told, 'psql')}")
        finally:
            psql.kill()
            psql.wait()


def scripted(server: Server, archive: zipfile.ZipFile, *, into: IO[bytes], said: IO[bytes]) -> bool:
    """Let pg_restore write the script of a dump; return whether it wrote all of it."""
    restore = server.start(
        "pg_restore",
        *("--no-owner", "--schema=public", "--file=-"),
        stdin=subprocess.PIPE,
        stdout=into,
        stderr=said,
    )
    assert restore.stdin is not None  # noqa: S101 (for the type)
    try:
        with suppress(BrokenPipeError), restore.stdin as dump:
            for piece in dump_pieces(archive):
                dump.write(piece)
        if restore.wait() == 0:
            return True
        said.write(b"error: pg_restore ended before its end\n")
        said.flush()
        return False
    finally:
        restore.kill()
        restore.wait()


def secret_key_in(archive: zipfile.ZipFile) -> bytes:
    """Return the secret key of a backup. Raises `RestoreRefused` where it has none, or it would not be used."""
    if SECRET not in archive.namelist():
        raise RestoreRefused("The backup holds no secret key. It was made without --with-secret-key.")
    if settings.SECRET_KEY_IS_GIVEN:
        raise RestoreRefused(
            "DSMART_SECRET_KEY is set, and would be used in place of the backup's key. Unset it first."
        )
    return archive.read(SECRET)


def secret_key_keep(secret: bytes) -> None:
    """Put a secret key in the data folder, whose processes take it from their next start on."""
    file = settings.DSMART_HOME / "secret_key"
    beside = file.with_name("secret_key.new")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(secret)
    beside.replace(file)


def is_key_of(made: Manifest) -> bool:
    """Return whether the product's secret key is the one with which the backup's keys of engines were sealed."""
    return made.secret == secret_fingerprint(settings.SECRET_KEY)
