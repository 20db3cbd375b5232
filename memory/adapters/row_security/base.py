"""Django's PostgreSQL backend, which tells the database what each statement may see before it is made.

The database is told by settings of its session, with one more round trip, and only where the scope is another than it was
told last. A rollback takes back what was told since, so it is told again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db.backends.postgresql import base, creation, operations
from psycopg.pq import TransactionStatus

from memory.adapters.row_security.scope import Scope, as_owner, current
from memory.adapters.row_security.tenancy import access_tables

ROLE = "dsmart_app"
TOLD = "scope_told"
# What `dsmart.spaces` is told where the rows of all spaces are seen.
ALL = "all"


class ScopedCursor(psycopg.ClientCursor[Any]):
    """A cursor whose statements see the scope of the context that they are made in."""

    def execute(self, *statement: Any, **options: Any) -> Any:
        scope_tell(self.connection)
        return super().execute(*statement, **options)

    def executemany(self, *statement: Any, **options: Any) -> None:
        scope_tell(self.connection)
        super().executemany(*statement, **options)

    def copy(self, *statement: Any, **options: Any) -> Any:
        scope_tell(self.connection)
        return super().copy(*statement, **options)

    def stream(self, *statement: Any, **options: Any) -> Any:
        scope_tell(self.connection)
        return super().stream(*statement, **options)


class DatabaseOperations(operations.DatabaseOperations):
    def execute_sql_flush(self, sql_list: Iterable[str]) -> None:
        with as_owner():
            super().execute_sql_flush(sql_list)


class DatabaseCreation(creation.DatabaseCreation):
    def create_test_db(self, *choices: Any, **options: Any) -> str:
        with as_owner():
            return super().create_test_db(*choices, **options)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
    creation_class = DatabaseCreation

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "cursor_factory": ScopedCursor}

    def create_cursor(self, name: str | None = None) -> Any:
        if name:  # a cursor of the server's, opened by the first statement of this one
            scope_tell(self.connection)
        return super().create_cursor(name)

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        except Exception:
            self._scope_forget()
            raise

    def _rollback(self) -> None:
        self._scope_forget()
        super()._rollback()  # type: ignore[misc]

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self._scope_forget()

    def _scope_forget(self) -> None:
        if self.connection is not None:
            setattr(self.connection, TOLD, None)

    @contextmanager
    def _nodb_cursor(self) -> Iterator[Any]:
        with as_owner(), super()._nodb_cursor() as cursor:
            yield cursor


def scope_tell(connection: psycopg.Connection) -> None:
    """Tell the database what the statements of this context see, unless it knows."""
    scope = current()
    # In a transaction that failed only a rollback is left.
    if getattr(connection, TOLD, None) == scope or connection.info.transaction_status == TransactionStatus.INERROR:
        return
    setattr(connection, TOLD, None)
    psycopg.Cursor(connection).execute(statement_of(scope))
    setattr(connection, TOLD, scope)


def statement_of(scope: Scope) -> bytes:
    """Return the statement that tells the database a scope. Which spaces are a person's it looks up itself."""
    person = "" if scope.user_id is None else str(int(scope.user_id))
    told = {
        "role": "none" if scope.is_owner else ROLE,
        "dsmart.person": person,
        "dsmart.spaces": ALL if scope.is_everything else array_of(scope.spaces),
    }
    statement = "select " + ", ".join(f"set_config('{name}', '{value}', false)" for name, value in told.items())
    if person:
        # Within what was told just now: the rows of `access_tables` that are the person's own.
        own = " union ".join(f'select space_id from "{name}" where user_id = {person}' for name in access_tables())  # noqa: S608
        spaces = f"select (array_agg(space_id) || '{array_of(scope.spaces)}')::text from ({own}) own"  # noqa: S608
        statement += f"; select set_config('dsmart.spaces', ({spaces}), false)"
    return statement.encode()


def array_of(space_ids: frozenset[int]) -> str:
    return "{" + ",".join(str(int(one)) for one in sorted(space_ids)) + "}"
