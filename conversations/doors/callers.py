"""Who comes in by a door: the owner of a token, in one space. All work for a program is done through its `Caller`."""

import io
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django.contrib.auth.models import User
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.middleware.csrf import CsrfViewMiddleware

from conversations.core.errors import DoorClosed, KeyUnknown, SpaceUnknown
from memory.adapters.row_security.scope import of_person, within
from memory.models import Space
from memory.selectors import spaces_of
from memory.services import space_personal
from memory.services.tokens import TokenGrant, token_account

FoundT = TypeVar("FoundT")
BEARER = "bearer "
NOT_SERVED = "This host is not served here. Ask by a name that DSMART_HOSTS has."
AWAY = "The memory cannot be reached at the moment. Try again soon."
WORKERS = 16
# Threads of their own: a program's question must not hold up the pages, whose work shares one.
_working = ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="doors")


@dataclass(frozen=True)
class Caller:
    """Whom a program acts for, and in which space."""

    grant: TokenGrant
    space: Space

    @property
    def user(self) -> User:
        return self.grant.user

    async def does(self, work: Callable[[], FoundT]) -> FoundT:
        """Return what the work returns, done in a thread that may use the database."""
        found: FoundT = await in_thread(partial(seen_by, self.user, work))
        return found

    def may(self, scope: str) -> None:
        """Raise `DoorClosed` where the token does not grant a scope in the space."""
        if not self.grant.allows(scope, self.space.pk):
            raise DoorClosed(f"This token may not {scope} in {self.space.name!r}. Make one that may, in the settings.")


def own_page_check(scope: Mapping[str, Any]) -> None:
    """Raise `DoorClosed` for a host that is not served, and for an origin of which no form would be taken.

    An origin is a scheme, a host and a port, each that of the address itself, or one of `CSRF_TRUSTED_ORIGINS`.
    """
    http = {"method": "GET", **scope, "scheme": scope.get("scheme", "http").replace("ws", "http")}
    request = ASGIRequest(http, io.BytesIO())
    try:
        host = request.get_host()
    except DisallowedHost:
        raise DoorClosed(NOT_SERVED) from None
    if "HTTP_ORIGIN" in request.META and not CsrfViewMiddleware(HttpResponse)._origin_verified(  # type: ignore[attr-defined]
        request
    ):
        raise DoorClosed(f"A page of another origin may not ask here. Ask from a page of {request.scheme}://{host}.")


def own_grant(user: User) -> TokenGrant:
    """Return what a person may do who runs a command on the server: all that they may do in their spaces."""
    return TokenGrant(user, scope="admin", space_id=None, token_id=0)


def seen_by(user: User, work: Callable[[], FoundT]) -> FoundT:
    """Return what the work returns; it sees the rows of the spaces of a person."""
    with within(of_person(user.pk)):
        return work()


async def in_thread(work: Callable[[], FoundT]) -> FoundT:
    run = database_sync_to_async(work, thread_sensitive=False, executor=_working)
    found: FoundT = await run()
    return found


def bearer_grant(authorization: str) -> TokenGrant | None:
    """Return what the header `Authorization: Bearer TOKEN` grants, None where it has no token that is known."""
    is_bearer = authorization[: len(BEARER)].lower() == BEARER
    return token_account(authorization[len(BEARER) :].strip()) if is_bearer else None


async def grant_of(authorization: str) -> TokenGrant:
    """Return what a request's header grants. Raises `KeyUnknown`."""
    grant = await in_thread(partial(bearer_grant, authorization))
    if grant is None:
        raise KeyUnknown(
            "This key is not known here, or it was revoked or has expired. Make an API token on the settings page, and send "
            "it as Authorization: Bearer TOKEN."
        )
    return grant


async def caller_in(grant: TokenGrant, space: str, *, scope: str) -> Caller:
    """Return the caller in the space that was named. Raises `SpaceUnknown`, and `DoorClosed` without the scope."""
    caller = Caller(grant, await in_thread(partial(seen_by, grant.user, partial(space_meant, grant, space.strip()))))
    caller.may(scope)
    return caller


def space_meant(grant: TokenGrant, name: str) -> Space:
    """Return the space of this number or name; the token's or the person's own for no name. Raises `SpaceUnknown`."""
    known = spaces_of(grant.user)
    if grant.space_id is not None:
        known = known.filter(pk=grant.space_id)
    if name:
        return numbered(known, name) or named(known, name)
    if grant.space_id is None:
        return space_personal(user=grant.user)
    own = known.first()
    if own is None:
        raise SpaceUnknown("The memory of this API token is not among yours any more.")
    return own


def numbered(known: QuerySet[Space], name: str) -> Space | None:
    is_number = name.isascii() and name.isdecimal() and len(name) < 18
    return known.filter(pk=int(name)).first() if is_number else None


def named(known: QuerySet[Space], name: str) -> Space:
    found = list(known.filter(Q(name=name))[:2])
    if len(found) == 1:
        return found[0]
    if found:
        raise SpaceUnknown(f"Several of your spaces are called {name!r}. Send the number of one.")
    raise SpaceUnknown(f"There is no space {name!r} among yours. Send the name or the number of one of your spaces.")
