"""Tells the log of acts from which address, in which request and by whom something is done."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware

from dsmart_web.addresses import client_address
from dsmart_web.requests import request_id
from memory.services.acts import Whence, acts_from


@sync_and_async_middleware
def acting_middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Let acts inside a request be told as coming from it."""
    if iscoroutinefunction(get_response):

        async def answered_async(request: HttpRequest) -> Awaitable[Any]:
            with acts_from(whence_of(request)):
                return await get_response(request)

        return answered_async

    def answered(request: HttpRequest) -> Any:
        with acts_from(whence_of(request)):
            return get_response(request)

    return answered


def whence_of(request: HttpRequest) -> Whence:
    return Whence(client_address(request), request_id(), partial(user_id_of, request))


def user_id_of(request: HttpRequest) -> int | None:
    """Return who is signed in by now: a token of the API does so after the request has begun."""
    return getattr(getattr(request, "user", None), "pk", None)
