"""What a backup says of itself: of which product, which tables, which server, when, and how many rows it has."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from dsmart_web.backups.errors import BackupDamaged, RestoreRefused

FORMAT = "dsmart-backup"
FORM_VERSION = 1
COUNTED_APPS = ("auth", "memory", "conversations", "evaluation")


@dataclass(frozen=True)
class Manifest:
    """The card of a backup. `migrations` has the last migration of each app, `roles` whom grants and policies name."""

    product: str
    made_at: str
    postgres: int
    pgvector: str
    migrations: dict[str, str]
    rows: dict[str, int]
    roles: list[str]
    secret: str
    sha256: str = ""
    format: str = FORMAT
    version: int = FORM_VERSION

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2)


def manifest_read(text: bytes) -> Manifest:
    """Return the card of a backup. Raises `BackupDamaged`, and `RestoreRefused` for a form of a newer product."""
    try:
        given = json.loads(text)
        if given.get("format") == FORMAT and given.get("version", 0) > FORM_VERSION:
            raise RestoreRefused(
                f"The backup was made by {given.get('product')}, which is newer. Update the product first."
            )
        read = Manifest(**given)
    except (ValueError, TypeError, AttributeError) as error:
        raise BackupDamaged(
            "The file has no card that this product can read: it is not a backup, or damaged."
        ) from error
    if read.format != FORMAT:
        raise BackupDamaged("The file is not a backup of this product.")
    return read


def manifest_of(connection: psycopg.Connection[Any]) -> Manifest:
    """Return the card of the database as the connection's snapshot sees it, without the digest of the dump."""
    extension = connection.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    return Manifest(
        product=settings.PRODUCT_VERSION,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        postgres=connection.info.server_version // 10000,
        pgvector=extension[0] if extension else "",
        migrations=last_migrations(connection),
        rows={table: rows_in(connection, table) for table in tables_in(connection)},
        roles=roles_in(connection),
        secret=secret_fingerprint(settings.SECRET_KEY),
    )


def last_migrations(connection: psycopg.Connection[Any]) -> dict[str, str]:
    known = tuple(MigrationLoader(None).migrated_apps)
    rows = connection.execute(
        "select app, max(name) from public.django_migrations where app = any(%s) group by app order by app",
        [list(known)],
    )
    return dict(rows.fetchall())


def tables_in(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the tables that the apps of the product have in this database."""
    ours = [model._meta.db_table for model in apps.get_models() if model._meta.app_label in COUNTED_APPS]
    found = connection.execute(
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') "
        "and relname = any(%s)",
        [ours],
    )
    return sorted(name for (name,) in found.fetchall())


def rows_in(connection: psycopg.Connection[Any], table: str) -> int:
    counted = connection.execute(sql.SQL("select count(*) from public.{}").format(sql.Identifier(table))).fetchone()
    return int(counted[0]) if counted else 0


def roles_in(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the roles that grants and policies name, without the one that is connected."""
    rows = connection.execute(
        "select distinct rolname from pg_shdepend join pg_roles on pg_roles.oid = refobjid "
        "where refclassid = 'pg_authid'::regclass and deptype in ('a', 'r') and rolname not in (current_user, 'postgres') "
        "and dbid = (select oid from pg_database where datname = current_database()) order by 1"
    )
    return [name for (name,) in rows.fetchall()]


def secret_fingerprint(secret: str) -> str:
    """Return what tells one secret key from another and nothing of either."""
    return hmac.new(secret.encode(), b"dsmart: backup", sha256).hexdigest()[:16]


def version_check(made: Manifest, *, server_version: int, known: Mapping[str, set[str]]) -> None:
    """Raise `RestoreRefused` for a backup of a newer product or a newer server, by their names.

    `known` has the names of this product's migrations of each app.
    """
    strange = sorted(f"{app} {name}" for app, name in made.migrations.items() if name not in known.get(app, set()))
    if strange:
        raise RestoreRefused(
            f"The backup was made by version {made.product} with {', '.join(strange)}, which this version "
            f"({settings.PRODUCT_VERSION}) does not know. Update the product first."
        )
    if made.postgres > server_version:
        raise RestoreRefused(
            f"The backup was made by PostgreSQL {made.postgres}, and this server is of {server_version}. "
            f"Restore it into PostgreSQL {made.postgres} or newer."
        )
