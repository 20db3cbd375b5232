"""Tokens of which the database knows only a digest."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.authentication import TokenAuthentication

from memory.adapters.row_security.scope import enter, of_person
from memory.services.tokens import token_digest


class DigestTokenAuthentication(TokenAuthentication):
    """`Authorization: Token ...`, with a token from the settings page. The rest of the request sees what its user may."""

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        user, token = super().authenticate_credentials(token_digest(key))
        enter(of_person(user.pk))
        return user, token
