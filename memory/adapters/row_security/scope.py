"""What the statements of a context see: nothing, the spaces of a person, some spaces, or everything.

A context that says nothing sees nothing. Scopes are context variables: tasks of an event loop and `sync_to_async` hand them
on, a thread that is started begins with none (`carrying`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Scope:
    """What is seen: the rows of `spaces`, and of those that the person `user_id` is a member of.

    `is_owner` statements are made by the role that owns the tables, all others by the application's. Which spaces are a
    person's is read when the database is told, so `entered` tells two scopes of a person apart.
    """

    spaces: frozenset[int] = frozenset()
    user_id: int | None = None
    is_everything: bool = False
    is_owner: bool = False
    entered: object = None


NOTHING = Scope()
EVERYTHING = Scope(is_everything=True)
OWNER = Scope(is_everything=True, is_owner=True)
_scope: ContextVar[Scope] = ContextVar("scope", default=NOTHING)


def current() -> Scope:
    return _scope.get()


def enter(scope: Scope) -> Scope:
    """Let the rest of this context see a scope, and return the one before."""
    before = _scope.get()
    _scope.set(scope)
    return before


@contextmanager
def within(scope: Scope) -> Iterator[None]:
    """Let the block see a scope."""
    before = enter(scope)
    try:
        yield
    finally:
        _scope.set(before)


def of_person(user_id: int) -> Scope:
    return Scope(user_id=user_id, entered=object())


@contextmanager
def spaces(*space_ids: int | None) -> Iterator[None]:
    """Let the block see some spaces; None is no space."""
    with within(Scope(frozenset(one for one in space_ids if one is not None))):
        yield


@contextmanager
def everything() -> Iterator[None]:
    """Let the block see the rows of all spaces: for what looks over all of them, and then narrows to one."""
    with within(current() if current().is_everything else EVERYTHING):
        yield


@contextmanager
def as_owner() -> Iterator[None]:
    """Let the block change tables: as the role that owns them."""
    with within(OWNER):
        yield


def admit(space_id: int) -> None:
    """Let the rest of this context see a space that it has made; what it sees of a person is read again."""
    now = current()
    if not now.is_everything:
        enter(replace(now, spaces=now.spaces | {space_id}, entered=object() if now.user_id else None))


def carrying(work: Callable[[], object]) -> Callable[[], object]:
    """Return work for another thread, which sees there what it would see here."""
    context = copy_context()
    return lambda: context.run(work)
