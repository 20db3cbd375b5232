"""Refusals in the form that OpenAI's clients read."""

from dataclasses import dataclass

from django.http import JsonResponse

from conversations.allowance import MINUTE_S
from conversations.core.errors import (
    ConversationError,
    DoorClosed,
    KeyUnknown,
    MessageRefused,
    ResponderUnavailable,
    SpaceFull,
    SpaceUnknown,
    TooManyCalls,
    TooManyWaiting,
)
from memory.core.errors import MemoryCoreError, QuotaReached, UnknownEngine

INVALID = "invalid_request_error"
LIMITED = "rate_limit_error"
FULL = "insufficient_quota"


@dataclass(eq=False)  # not frozen: what passes an error on sets where it came by
class Refused(Exception):
    """A request that is refused: what happened in one sentence, and what is wrong by name."""

    message: str
    param: str | None = None
    status: int = 400
    kind: str = INVALID
    code: str | None = None

    def __str__(self) -> str:
        return self.message

    @property
    def body(self) -> dict[str, object]:
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}


def refused_for(error: Exception) -> Refused:
    """Return an error of ours in OpenAI's form."""
    said = str(error)
    match error:
        case Refused():
            return error
        case KeyUnknown():
            return Refused(said, status=401, kind="authentication_error", code="invalid_api_key")
        case SpaceUnknown():
            return Refused(said, status=404, code="space_not_found")
        case TooManyCalls() | TooManyWaiting():
            return Refused(said, status=429, kind=LIMITED, code="rate_limit_exceeded")
        case DoorClosed():
            return Refused(said, status=403, kind="permission_error", code="insufficient_permissions")
        case UnknownEngine() | ResponderUnavailable():
            return Refused(said, "model", status=404, code="model_not_found")
        case SpaceFull() | QuotaReached():
            return Refused(said, status=429, kind=LIMITED, code=FULL)
        case MessageRefused():
            return Refused(said, "messages")
    return Refused(said, status=500, kind="server_error")


def refusal_response(error: ConversationError | MemoryCoreError | Refused) -> JsonResponse:
    """Return the response to a refused request. A client that tries by itself is told when, or that it should not."""
    refused = refused_for(error)
    headers = {"Cache-Control": "no-store"}
    if refused.code == FULL or refused.status >= 500:
        headers["x-should-retry"] = "false"
    elif refused.status == 429:
        headers["Retry-After"] = str(MINUTE_S if isinstance(error, TooManyCalls) else 5)
    return JsonResponse(refused.body, status=refused.status, headers=headers)
