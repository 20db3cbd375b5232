"""Who sees what: the browser sessions that still give access to a space, and the space of the row that a task is about."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.db.models import Model
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memory.adapters.row_security.scope import everything, spaces
from memory.models import Membership


@dataclass(frozen=True)
class Claim:
    """The claim of a socket: this user sees this space by this browser session."""

    session_key: str
    user_id: int
    space_id: int


def claims_that_hold(claims: Collection[Claim]) -> set[Claim]:
    """Return the claims whose session is valid, whose account is active and whose user is a member, in three queries.

    A session is valid until it is deleted, expires, or the password changes.
    """
    keys = {claim.session_key for claim in claims}
    sessions = {
        session.session_key: session.get_decoded()
        for session in BrowserSession.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    }
    users = User.objects.filter(is_active=True).in_bulk({claim.user_id for claim in claims})
    members = set(
        Membership.objects.filter(user_id__in=users, space_id__in={claim.space_id for claim in claims}).values_list(
            "user_id", "space_id"
        )
    )
    return {
        claim
        for claim in claims
        if (claim.user_id, claim.space_id) in members
        and is_of(sessions.get(claim.session_key, {}), users[claim.user_id])
    }


def is_of(session: dict[str, Any], user: User) -> bool:
    """Return whether a session's data is a sign-in of the user with the present password."""
    given = session.get(HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return session.get(SESSION_KEY) == str(user.pk) and any(constant_time_compare(given, known) for known in hashes)


def space_of(model: type[Model], row_id: int, path: str = "space_id") -> AbstractContextManager[None]:
    """Let a block see the space of a row, which `path` leads to; where the row is gone, nothing."""
    with everything():
        found = model._default_manager.filter(pk=row_id).values_list(path, flat=True).first()
    return spaces(found)
