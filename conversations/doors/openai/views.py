"""The addresses under `/v1/`. A view reads the request, posts the message, and tells the reply as it comes or at its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import partial, wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from conversations.allowance import TOO_FAST, message_allowed
from conversations.core.errors import ConversationError, MessageRefused, SpaceUnknown, TooManyCalls
from conversations.doors.callers import Caller, caller_in, grant_of
from conversations.doors.following import followed
from conversations.doors.openai.answers import DONE, WAITING, Completion, Ended, Telling, ended_reply, sent, usage_of
from conversations.doors.openai.models import Choice, choice_of, models_in
from conversations.doors.openai.refusals import Refused, refusal_response, refused_for
from conversations.doors.openai.requests import Asked, asked_in
from conversations.models import Reply
from conversations.services import client_message_post
from conversations.services.asking import messages_complete
from memory.bootstrap import has_language_model
from memory.core.errors import MemoryCoreError
from memory.selectors.tracing import ModelUse
from memory.services.tokens import TokenGrant

SPACE = "X-DSMART-Space"
# How long a reply that is being stopped may take to end, before another message takes its place.
ENDING_S = 10.0
# A proxy closes a connection on which nothing comes for long.
SILENCE_S = 15.0
STREAM = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
View = Callable[..., Awaitable[HttpResponseBase]]


def door(view: View) -> Callable[..., Any]:
    """Let in whoever has a key, without session and cookie, and answer refusals in OpenAI's form."""

    @wraps(view)
    async def opened(request: HttpRequest, *place: str, **named: str) -> HttpResponseBase:
        try:
            answer = await view(request, *place, **named)
            if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
                return method_refused(request, answer)
            return answer
        except (Refused, ConversationError, MemoryCoreError) as error:
            return refusal_response(error)

    return csrf_exempt(login_not_required(opened))


def method_refused(request: HttpRequest, answer: HttpResponseBase) -> JsonResponse:
    refused = Refused(
        f"{request.method} is not taken at {request.path}. Use {answer['Allow']}.", code="method_not_allowed"
    )
    return JsonResponse(refused.body, status=answer.status_code, headers={"Allow": answer["Allow"]})


async def caller_at(request: HttpRequest, *, scope: str) -> Caller:
    return await caller_of(await grant_of(request.headers.get("Authorization", "")), request, scope=scope)


async def caller_of(grant: TokenGrant, request: HttpRequest, *, scope: str, user: str = "") -> Caller:
    """Return the caller in the space of the header, else the one that the body names as its user. Raises `Refused`."""
    header = request.headers.get(SPACE, "").strip()
    try:
        return await caller_in(grant, header or user, scope=scope)
    except SpaceUnknown as error:
        raise replace(refused_for(error), param=SPACE if header else "user" if user else None) from error


@door
@require_safe
async def models(request: HttpRequest) -> HttpResponseBase:
    caller = await caller_at(request, scope="read")
    found = await caller.does(partial(models_in, caller.space))
    return JsonResponse({"object": "list", "data": [model_shown(id, name) for id, name in found.items()]})


@door
@require_safe
async def model(request: HttpRequest, model_id: str) -> HttpResponseBase:
    caller = await caller_at(request, scope="read")
    await caller.does(partial(choice_of, model_id, space=caller.space))
    return JsonResponse(model_shown(model_id, model_id))


def model_shown(model_id: str, name: str) -> dict[str, object]:
    return {"id": model_id, "object": "model", "created": 0, "owned_by": "d-smart", "name": name}


@door
@require_POST
async def chat_completions(request: HttpRequest) -> HttpResponseBase:
    grant = await grant_of(request.headers.get("Authorization", ""))
    asked = asked_in(request.body, request.headers)
    caller = await caller_of(grant, request, scope="write", user=asked.body.user)
    choice = await caller.does(partial(choice_of, asked.body.model, space=caller.space))
    if not await caller.does(partial(message_allowed, caller.user.pk)):
        raise TooManyCalls(TOO_FAST)
    completion = Completion(asked.body.model)
    if choice.is_plain or asked.is_task:
        ended = await caller.does(partial(plain_reply, asked, choice))
        if not asked.body.stream:
            return JsonResponse(completion.whole(ended))
        return streamed(told_at_once(completion, ended, asked))
    reply = await posted(caller, asked, choice)
    if asked.body.stream:
        return streamed(told(completion, caller, reply, asked))
    return JsonResponse(completion.whole(await awaited(caller, reply)))


def plain_reply(asked: Asked, choice: Choice) -> Ended:
    """Return what the engine's language model says to the messages as they are; nothing is kept of them."""
    if not has_language_model(choice.engine):
        raise Refused(
            "A program asks this by itself, and this engine has no language model that could answer it. "
            "Choose a model such as plain@http:MODEL for its tasks, or turn them off there.",
            "model",
            code="no_language_model",
        )
    said = messages_complete(engine=choice.engine, messages=asked.prompt_messages(), config=asked.body.sampling())
    use = ModelUse(1, said.prompt_tokens or 0, said.completion_tokens or 0)
    return Ended(said.text, usage_of(use))


async def posted(caller: Caller, asked: Asked, choice: Choice) -> Reply:
    """Return the reply to the message, which is stored once a reply that is being stopped has ended."""
    post = partial(
        client_message_post,
        owner=caller.user,
        space=caller.space,
        message=asked.message,
        engine=choice.engine,
        responder=choice.responder,
    )
    until = time.monotonic() + ENDING_S
    while (found := await caller.does(post)).is_ending:
        try:
            async with asyncio.timeout(until - time.monotonic()), aclosing(followed(caller, found.reply)) as events:
                async for _ in events:
                    continue
        except TimeoutError:
            raise MessageRefused("The reply before this is still being stopped. Send the message again.") from None
    return found.reply


async def awaited(caller: Caller, reply: Reply) -> Ended:
    """Return how the reply ended. One that takes longer than a client is to wait is stopped."""
    limit = settings.DSMART_DOOR_WAIT_S
    try:
        async with asyncio.timeout(limit), aclosing(followed(caller, reply)) as events:
            async for _ in events:
                continue
    except TimeoutError:
        raise Refused(
            f"The reply took longer than {limit:g} seconds and was stopped. Ask for it as a stream, or for less.",
            status=504,
            kind="server_error",
            code="timeout",
        ) from None
    return await caller.does(partial(ended_reply, caller, reply.pk))


async def told(completion: Completion, caller: Caller, reply: Reply, asked: Asked) -> AsyncIterator[bytes]:
    """Yield a reply as it is written. What goes wrong after the beginning is told in the stream, and ends it."""
    telling, spoke_at = Telling(), time.monotonic()
    yield completion.first()
    try:
        async with aclosing(followed(caller, reply)) as events:
            async for event in events:
                fresh = ""
                if event is not None and event.kind == "delta":
                    fresh = telling.more(str(event.data["text"]))
                elif event is not None and event.kind == "reset":
                    telling.said = ""
                if fresh:
                    yield completion.delta(fresh)
                elif time.monotonic() - spoke_at < SILENCE_S:
                    continue
                else:
                    yield WAITING
                spoke_at = time.monotonic()
        ended = await caller.does(partial(ended_reply, caller, reply.pk))
    except (Refused, ConversationError, MemoryCoreError, Reply.DoesNotExist) as error:
        yield sent(refused_for(error).body)
        return
    for piece in ending(completion, ended, asked):
        yield piece


async def told_at_once(completion: Completion, ended: Ended, asked: Asked) -> AsyncIterator[bytes]:
    yield completion.first()
    yield completion.delta(ended.text)
    for piece in ending(completion, ended, asked):
        yield piece


def ending(completion: Completion, ended: Ended, asked: Asked) -> list[bytes]:
    return [completion.last(ended), *([completion.usage(ended)] if asked.tells_usage else []), DONE]


def streamed(pieces: AsyncIterator[bytes]) -> StreamingHttpResponse:
    return StreamingHttpResponse(pieces, content_type="text/event-stream", headers=STREAM)
