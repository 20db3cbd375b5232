"""Tokens of which the database knows only a digest."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.authentication import TokenAuthentication

from memory.services.tokens import token_digest


class DigestTokenAuthentication(TokenAuthentication):
    """`Authorization: Token ...`, with a token from the settings page."""

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        return super().authenticate_credentials(token_digest(key))
