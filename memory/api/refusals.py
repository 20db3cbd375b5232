"""Turns refusals of memory's services into API responses with their reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import APIException, NotFound, Throttled
from rest_framework.response import Response
from rest_framework.views import exception_handler

from memory.api.sessions import Conflicting
from memory.core.errors import QuotaReached
from memory.services.edits.audit import EditRefused


@contextmanager
def refusals() -> Iterator[None]:
    """Answer 409 with the reason where an edit is refused, and 404 where its row went away meanwhile."""
    try:
        yield
    except EditRefused as refusal:
        raise Conflicting(str(refusal)) from refusal
    except ObjectDoesNotExist as gone:
        raise NotFound from gone


class TooMuch(APIException):
    """Raised where a memory may hold no more words (413)."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too_much"


def answered(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a reached quota at any address of the API, whatever was raised from it; else as Django REST framework does."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, QuotaReached):
        cause = cause.__cause__
    return exception_handler(error if cause is None else refused(cause), context)


def refused(reached: QuotaReached) -> APIException:
    """Return 413 for bytes, 429 for turns and imports; tomorrow there may be imports again."""
    if reached.measure == "bytes":
        return TooMuch(str(reached))
    now = timezone.localtime()
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    wait = (tomorrow - now).total_seconds() if reached.measure == "imports" else None
    return Throttled(detail=str(reached), wait=wait)
