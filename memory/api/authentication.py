"""Signs programs in by their tokens, of which the database knows only a digest."""

from typing import Any

from django.contrib.auth.models import User
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

from memory.adapters.row_security.scope import enter, of_person
from memory.services.tokens import TokenGrant, token_account


class DigestTokenAuthentication(TokenAuthentication):
    """`Authorization: Token ...`, with a token from the settings page. `request.auth` is its `TokenGrant`.

    The rest of the request sees what its user may.
    """

    def authenticate_credentials(self, key: str) -> tuple[User, Any]:
        grant: TokenGrant | None = token_account(key)
        if grant is None:
            raise AuthenticationFailed("This token is not known, or it was revoked or has expired. Make another one.")
        enter(of_person(grant.user.pk))
        return grant.user, grant
