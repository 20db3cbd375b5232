"""Turns refusals of memory's services into API responses with their reason."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from rest_framework.exceptions import NotFound

from memory.api.sessions import Conflicting
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
