"""Restricts API requests to what the user may see: rows of other spaces are 404, whatever the request says."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ObjectDoesNotExist
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.views import APIView

from memory.models import Membership, Space
from memory.selectors import space_of
from memory.services.accounts import person
from memory.services.tokens import TokenGrant

Row = TypeVar("Row")


def found(read: Callable[[], Row]) -> Row:
    """Return the result of a selector; raise 404 where the row does not exist."""
    try:
        return read()
    except ObjectDoesNotExist as error:
        raise NotFound from error


class SpaceView(APIView):
    # A docstring would be printed under every operation of the API's description.
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.space: Space = found(lambda: space_of(person(request.user), self.kwargs["space_id"]))


def space_of_token(request: Request) -> int | None:
    """Return the one space that the request's token opens; None for a browser session and a token of all spaces."""
    return request.auth.space_id if isinstance(request.auth, TokenGrant) else None


def require_owner(user: User, space: Space) -> None:
    """Raise 403 for a member of the space who is not its owner."""
    if not Membership.objects.filter(user=user, space=space, role=Membership.Role.OWNER).exists():
        raise PermissionDenied("Only an owner of the space may do this.")
