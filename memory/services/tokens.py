"""API tokens. Only a hash is stored: a token is shown once, when it is made, and cannot be read again."""

import hashlib
import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.authtoken.models import Token

KEY_LENGTH = 40


@transaction.atomic
def token_renew(*, user: User) -> str:
    """Return a new API token of the user; the earlier token stops working."""
    User.objects.select_for_update().only("pk").get(pk=user.pk)
    plain = secrets.token_urlsafe(32)
    Token.objects.filter(user=user).delete()
    Token.objects.create(user=user, key=token_digest(plain))
    return plain


def token_delete(*, user: User) -> None:
    Token.objects.filter(user=user).delete()


def token_digest(plain: str) -> str:
    """Return the hash that is stored of a token.

    A token has 256 random bits, so a plain hash is enough and quick to look up.
    """
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:KEY_LENGTH]


@dataclass(frozen=True)
class TokenGrant:
    """Whom a token stands for, and what it may do: in one space, or in all of its owner's where there is none."""

    user: User
    space_id: int | None = None

    def allows(self, scope: str, space_id: int) -> bool:
        return self.space_id in (None, space_id)


def token_account(plain: str) -> TokenGrant | None:
    """Return what a token grants; None where it is nobody's, or its owner's account is closed."""
    token = Token.objects.select_related("user").filter(key=token_digest(plain), user__is_active=True).first()
    return None if token is None else TokenGrant(token.user)
