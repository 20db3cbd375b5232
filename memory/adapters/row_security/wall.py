"""Makes the wall: the role of the application, which owns no table, and a policy on every table with rows of spaces.

All of it is made anew after each migration, from what `tenancy` says, so a table that is declared is behind the wall.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.backends.utils import CursorWrapper

from memory.adapters.row_security.base import ALL, ROLE
from memory.adapters.row_security.scope import as_owner, everything
from memory.adapters.row_security.tenancy import Table, tables

POLICY, OWN_ROWS = "dsmart_space", "dsmart_own_rows"
TOLD_SPACES = "coalesce(nullif(current_setting('dsmart.spaces', true), ''), '{}')"
# Each is read once a statement. What is not set lets nothing through. Where all is seen, the spaces are null, and none is.
SEES_EVERYTHING = f"(select {TOLD_SPACES} = '{ALL}')"
SPACES = f"(select array_remove(nullif({TOLD_SPACES}, '{ALL}')::bigint[], null))::bigint[]"  # else it reads as rows
PERSON = "(select nullif(current_setting('dsmart.person', true), '')::int)"
# Several databases of a server share its roles, and may be prepared at once.
MAKE_ROLE = f"""
do $$ begin
    if not exists (select from pg_roles where rolname = '{ROLE}') then
        create role {ROLE} nologin;
    end if;
    if not pg_has_role('{ROLE}', 'member') then
        execute format('grant {ROLE} to %I', session_user);
    end if;
exception when duplicate_object or unique_violation then null;
end $$
"""
ROWS, PLACES = "select, insert, update, delete", "usage, select, update"
GRANTS = """
grant usage on schema {schema} to {role};
grant {rows} on all tables in schema {schema} to {role};
grant {places} on all sequences in schema {schema} to {role};
alter default privileges in schema {schema} grant {rows} on tables to {role};
alter default privileges in schema {schema} grant {places} on sequences to {role};
do $$ begin execute format('grant temporary on database %I to {role}', current_database()); end $$;
"""
# What these tell of a row is whether it is found. PostgreSQL lets no other function look at a row before its policy does, not
# even one that is answered by an index.
QUIET = (
    "ts_match_vq(tsvector, tsquery)",
    "to_tsvector(regconfig, text)",
    "arrayoverlap(anyarray, anyarray)",
    "arraycontains(anyarray, anyarray)",
    "textlike(text, text)",
)
ONCE_BY_A_SUPERUSER = f"create role {ROLE} nologin; grant {ROLE} to the_role_of_DATABASE_URL;"


COLUMNS = "select table_name, column_name from information_schema.columns where table_schema = current_schema()"


class WallMissing(Exception):
    """Raised where the application cannot take its role. The message is a sentence for whoever runs the server."""


def wall_make(**signal: Any) -> None:
    """Make the role and the policies of all tables that are there."""
    with as_owner(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        there = set(cursor.fetchall())
        # Of tables of an earlier version some are not there, or not yet with their space.
        behind = [table for table in tables() if set(table.columns) <= there]
        if behind:
            # First, and all: autovacuum may hold a table while it waits for the rights on it that are changed here.
            cursor.execute(f"lock table {', '.join(table.name for table in behind)} in access exclusive mode")
        role_make(cursor)
        cursor.execute(grants(cursor))
        if behind:
            cursor.execute("; ".join(statement for table in behind for statement in policies(table)))
            cursor.execute(f"comment on policy {POLICY} on {behind[0].name} is '{version()}'")
        cursor.execute("select rolsuper from pg_roles where rolname = session_user")
        if cursor.fetchone()[0]:
            cursor.execute("; ".join(f"alter function pg_catalog.{function} leakproof" for function in QUIET))


def role_make(cursor: CursorWrapper) -> None:
    try:
        cursor.execute(MAKE_ROLE)
    except DatabaseError as error:
        raise WallMissing(missing_sentence(error)) from error


def wall_check() -> None:
    """Raise `WallMissing` where the application cannot take its role."""
    try:
        with everything(), connection.cursor() as cursor:
            cursor.execute("select 1")
    except DatabaseError as error:
        raise WallMissing(missing_sentence(error)) from error


def wall_stands() -> bool:
    """Return whether the application can take its role, and the policies are those of this version.

    A database that was moved to another server does not bring the role with it.
    """
    try:
        wall_check()
    except WallMissing:
        return False
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("select exists (select from pg_description where description = %s)", [version()])
        return bool(cursor.fetchone()[0])


def missing_sentence(error: DatabaseError) -> str:
    reason = str(error).strip().split("\n", 1)[0]
    return (
        f"The database role {ROLE}, under which the application reads and writes, cannot be used: {reason}. "
        f"Let an administrator of the server run once: {ONCE_BY_A_SUPERUSER}"
    )


def grants(cursor: CursorWrapper) -> str:
    cursor.execute("select quote_ident(current_schema()), current_setting('server_version_num')::int")
    schema, version = cursor.fetchone()
    maintained = ROWS + (", maintain" if version >= 170000 else "")  # an import lets its tables be analysed
    return GRANTS.format(schema=schema, role=ROLE, rows=maintained, places=PLACES)


def policies(table: Table) -> Iterator[str]:
    """Yield the statements that let a table be read and written within a scope alone."""
    name = f'"{table.name}"'
    yield f"alter table {name} enable row level security"
    yield f"alter table {name} force row level security"
    yield f"drop policy if exists {POLICY} on {name}"
    yield f"create policy {POLICY} on {name} using ({condition(table)})"
    yield f"drop policy if exists {OWN_ROWS} on {name}"
    if table.gives_access:
        yield f"create policy {OWN_ROWS} on {name} for select using (user_id = {PERSON})"


def condition(table: Table) -> str:
    """Return when a row is within the scope.

    Written as "is not null", which the planner takes for true of nearly all rows: of a condition on the space itself it would
    think that it halves what is found, each time, and choose other plans. One setting is asked, since each that is asked
    costs every statement a plan of its own; 0 is no space.
    """
    column = f'"{table.name}"."{table.column}"'
    if table.parent:
        seen = f'exists (select 1 from "{table.parent}" parent where parent."{table.key}" = {column})'  # noqa: S608
        return f"{SEES_EVERYTHING} or nullif({seen}, false) is not null"
    return f"nullif(coalesce(coalesce({column}, 0) = any({SPACES}), true), false) is not null"


def version() -> str:
    """Return a digest of all policies that this version makes."""
    return sha256("; ".join(statement for table in tables() for statement in policies(table)).encode()).hexdigest()
