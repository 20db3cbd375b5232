"""Tokens of the API. Only a hash is stored: a token is shown once, when it is made, and cannot be read again."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memory.models import ActRecord, Space, TokenRecord
from memory.services.acts import act_record

KEY_LENGTH = 40
TOKENS_A_PERSON = 50
SCOPES = tuple(TokenRecord.Scope.values)
USE_IS_WRITTEN_AFTER = timedelta(minutes=1)


class TokenRefused(Exception):
    """Raised where a token cannot be made. The message is a sentence for the person who asked."""


@dataclass(frozen=True)
class TokenGrant:
    """What the bearer of a token may do: as whom, up to which scope, in one space or, with None, in all of the person's."""

    user: User
    scope: str
    space_id: int | None
    token_id: int

    def allows(self, scope: str, space_id: int | None) -> bool:
        """Return whether an act of this scope is allowed in a space; with None for what belongs to no single space.

        A token of one space never allows the latter.
        """
        return SCOPES.index(scope) <= SCOPES.index(self.scope) and self.space_id in (None, space_id)


@transaction.atomic
def token_make(
    *,
    user: User,
    name: str = "Token",
    scope: str = TokenRecord.Scope.WRITE,
    space: Space | None = None,
    lifetime: timedelta | None = None,
) -> str:
    """Return a new API token of the user; without a `lifetime` it works until it is revoked. Raises `TokenRefused`."""
    User.objects.select_for_update().only("pk").get(pk=user.pk)
    if TokenRecord.objects.filter(user=user).count() >= TOKENS_A_PERSON:
        raise TokenRefused(f"{TOKENS_A_PERSON} tokens is the most that a person may have. Revoke one first.")
    plain = secrets.token_urlsafe(32)
    made = TokenRecord.objects.create(
        user=user,
        name=name.strip()[:80] or "Token",
        digest=token_digest(plain),
        scope=scope,
        space=space,
        expires_at=timezone.now() + lifetime if lifetime is not None else None,
    )
    act_record(kind=ActRecord.Kind.TOKEN_MADE, by=user, space=space, words=token_words(made))
    return plain


@transaction.atomic
def token_revoke(*, token: TokenRecord) -> None:
    """End a token: programs that use it are refused from now on."""
    act_record(kind=ActRecord.Kind.TOKEN_REVOKED, by=token.user, space=token.space_id, words=token_words(token))
    token.delete()


@transaction.atomic
def tokens_revoke(*, user: User) -> int:
    """End all tokens of a person, and return how many ended."""
    ended = list(TokenRecord.objects.filter(user=user).select_for_update(of=("self",)).order_by("pk"))
    for token in ended:
        token_revoke(token=token)
    return len(ended)


def token_account(plain: str) -> TokenGrant | None:
    """Return what a token allows; None for one that is unknown, revoked or expired, or whose account is switched off.

    That it was used is written at most once a minute.
    """
    now = timezone.now()
    alive = Q(expires_at=None) | Q(expires_at__gt=now)
    found = TokenRecord.objects.filter(alive, digest=token_digest(plain), user__is_active=True)
    token = found.select_related("user").first()
    if token is None:
        return None
    if token.used_at is None or token.used_at < now - USE_IS_WRITTEN_AFTER:
        TokenRecord.objects.filter(pk=token.pk).update(used_at=now)
    return TokenGrant(user=token.user, scope=token.scope, space_id=token.space_id, token_id=token.pk)


def token_words(token: TokenRecord) -> str:
    until = f", until {token.expires_at:%Y-%m-%d}" if token.expires_at else ""
    return f"{token.name}: {token.get_scope_display().lower()}{until}"


def token_digest(plain: str) -> str:
    """Return the hash that is stored of a token.

    A token has 256 random bits, so a plain hash is enough and quick to look up.
    """
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:KEY_LENGTH]
