"""Replies: read, follow, stop, answer anew."""

from collections.abc import Callable
from functools import partial

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from conversations import selectors, services
from conversations.api.serializers import (
    EventsQuerySerializer,
    MessageEditSerializer,
    ReplyDetailSerializer,
    ReplyEventSerializer,
    ReplySerializer,
    TraceStepSerializer,
)
from conversations.core.errors import MessageRefused, TooManyWaiting
from conversations.models import Reply, ReplyState
from conversations.services.messages import checked_message
from memory.api.serializers import ProblemSerializer
from memory.api.sessions import Conflicting
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.selectors.tracing import STEPS_A_PAGE, steps_of
from memory.services.accounts import person

TAGS = ["replies"]
EVENTS_A_PAGE = 1000
ANSWERED_ANEW = {
    202: ReplySerializer,
    409: OpenApiResponse(ProblemSerializer, "A reply is still being written, or this version is not shown."),
    429: OpenApiResponse(ProblemSerializer, "Too many of your messages wait for a reply."),
}


class ReplyView(APIView):
    """What all addresses below one reply share: it is in the user's own conversation, or it is not found."""

    def reply(self) -> Reply:
        return found(lambda: selectors.reply_of(person(self.request.user), self.kwargs["reply_id"]))


def anew(service: Callable[[], Reply]) -> Response:
    try:
        fresh = service()
    except TooManyWaiting as refusal:
        raise Throttled(detail=str(refusal)) from refusal
    except MessageRefused as refusal:
        raise Conflicting(str(refusal)) from refusal
    return Response(ReplySerializer(fresh).data, status=status.HTTP_202_ACCEPTED)


class ReplyDetail(ReplyView):
    @extend_schema(tags=TAGS, summary="Read a reply and what it rests on", responses={200: ReplyDetailSerializer})
    def get(self, request: Request, reply_id: int) -> Response:
        return Response(ReplyDetailSerializer(self.reply()).data)


class ReplyEvents(ReplyView):
    @extend_schema(
        tags=TAGS,
        summary="Read the events of a reply after a number",
        description=f"At most {EVENTS_A_PAGE} at once. Ask again with the last number until a terminal `state`.",
        parameters=[EventsQuerySerializer],
        responses={200: ReplyEventSerializer(many=True)},
    )
    def get(self, request: Request, reply_id: int) -> Response:
        asked = valid(EventsQuerySerializer(data=request.query_params))
        events = selectors.events_after(self.reply(), asked["after"], limit=EVENTS_A_PAGE)
        return Response(ReplyEventSerializer(events, many=True).data)


class ReplyTraceSteps(ReplyView):
    @extend_schema(
        tags=TAGS,
        summary="Read how a reply was found: the steps of its trace after a number",
        description=f"At most {STEPS_A_PAGE} at once. Ask again with the last number; it grows while the reply is written.",
        parameters=[EventsQuerySerializer],
        responses={200: TraceStepSerializer(many=True)},
    )
    def get(self, request: Request, reply_id: int) -> Response:
        reply = self.reply()
        asked = valid(EventsQuerySerializer(data=request.query_params))
        trace = selectors.reply_trace(reply)
        steps = steps_of(trace, after=asked["after"]) if trace is not None else []
        return Response(TraceStepSerializer(steps, many=True).data)


class ReplyStop(ReplyView):
    @extend_schema(tags=TAGS, summary="Stop a reply", request=None, responses={202: ReplySerializer})
    def post(self, request: Request, reply_id: int) -> Response:
        services.reply_stop(reply=self.reply())
        return Response(ReplySerializer(self.reply()).data, status=status.HTTP_202_ACCEPTED)


class ReplyRegenerate(ReplyView):
    @extend_schema(
        tags=TAGS, summary="Answer a message anew, in another version of it", request=None, responses=ANSWERED_ANEW
    )
    def post(self, request: Request, reply_id: int) -> Response:
        return anew(partial(services.reply_regenerate, reply=self.reply()))


class ReplyEdit(ReplyView):
    @extend_schema(
        tags=TAGS,
        summary="Put a message in other words, as another version",
        request=MessageEditSerializer,
        responses={**ANSWERED_ANEW, 400: OpenApiResponse(ProblemSerializer, "The text cannot be taken.")},
    )
    def post(self, request: Request, reply_id: int) -> Response:
        reply = self.reply()
        text = valid(MessageEditSerializer(data=request.data))["text"]
        try:
            checked_message(text)
        except MessageRefused as refusal:
            raise ValidationError({"text": [str(refusal)]}) from refusal
        return anew(partial(services.message_edit, reply=reply, text=text))


class VersionShow(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Let a version of a message stand in its conversation",
        description="What followed it returns with it. The memory then learns this version, in the background.",
        request=None,
        responses={
            204: None,
            409: OpenApiResponse(
                ProblemSerializer, "A reply is still being written, or it is a version of a message that is not shown."
            ),
        },
    )
    def post(self, request: Request, round_id: int) -> Response:
        round = found(lambda: selectors.version_in(person(request.user), round_id))
        try:
            services.version_show(conversation=round.session.conversation, round=round)
        except MessageRefused as refusal:
            raise Conflicting(str(refusal)) from refusal
        return Response(status=status.HTTP_204_NO_CONTENT)


class ReplyRetry(ReplyView):
    @extend_schema(tags=TAGS, summary="Try a failed reply again", request=None, responses=ANSWERED_ANEW)
    def post(self, request: Request, reply_id: int) -> Response:
        if self.reply().state not in (ReplyState.FAILED, ReplyState.STOPPED):
            raise Conflicting(
                "Only a reply that failed or was stopped can be tried again. Regenerate this one instead."
            )
        return anew(partial(services.reply_retry, reply=self.reply()))
