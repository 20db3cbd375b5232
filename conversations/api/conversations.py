"""Conversations and the messages in them."""

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.exceptions import NotFound, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from conversations import selectors, services
from conversations.allowance import MINUTE_S, TOO_FAST, message_allowed
from conversations.api.serializers import (
    ConversationChangeSerializer,
    ConversationInSerializer,
    ConversationSerializer,
    ConversationsQuerySerializer,
    ExportQuerySerializer,
    MessageSerializer,
    ReplySerializer,
    RoundSerializer,
    TranscriptQuerySerializer,
)
from conversations.core.errors import MessageKeyTaken, MessageRefused, ResponderUnavailable, TooManyWaiting
from conversations.models import Conversation
from conversations.views.transfer import export_response
from memory import selectors as memory_selectors
from memory.api.serializers import ProblemSerializer
from memory.api.sessions import IDEMPOTENCY_KEY, Conflicting, key_of_request
from memory.api.tenancy import found, space_of_token
from memory.api.validation import valid
from memory.core.errors import MemoryCoreError
from memory.services import space_personal
from memory.services.accounts import person

TAGS = ["conversations"]


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List your conversations, newest first", parameters=[ConversationsQuerySerializer]
    )
)
class ConversationList(generics.ListAPIView):
    is_narrowed_by_token = True
    queryset = Conversation.objects.none()
    serializer_class = ConversationSerializer

    def get_queryset(self) -> QuerySet[Conversation]:
        asked = valid(ConversationsQuerySerializer(data=self.request.query_params))
        conversations = selectors.conversations_of(person(self.request.user), archived=asked["archived"])
        bound = space_of_token(self.request)
        return conversations if bound is None else conversations.filter(space=bound)

    @extend_schema(
        tags=TAGS,
        summary="Begin a conversation",
        request=ConversationInSerializer,
        responses={201: ConversationSerializer},
        examples=[OpenApiExample("Over your own memory", value={"title": "Plans"}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        fields = valid(ConversationInSerializer(data=request.data))
        bound = space_of_token(request)
        space_id = fields.pop("space", bound)
        if bound not in (None, space_id):
            raise NotFound
        if space_id is None:
            space = space_personal(user=person(request.user))
        else:
            space = found(lambda: memory_selectors.space_of(person(request.user), space_id))
        try:
            conversation = services.conversation_create(owner=person(request.user), space=space, **fields)
        except (ResponderUnavailable, MemoryCoreError) as error:
            raise choice_refused(error) from error
        return Response(ConversationSerializer(conversation).data, status=status.HTTP_201_CREATED)


def choose(conversation: Conversation, *, engine: str, responder: str) -> None:
    try:
        services.conversation_choose(conversation=conversation, engine=engine, responder=responder)
    except (ResponderUnavailable, MemoryCoreError) as error:
        raise choice_refused(error) from error


def choice_refused(error: Exception) -> ValidationError:
    return ValidationError({"responder" if isinstance(error, ResponderUnavailable) else "engine": [str(error)]})


class ConversationView(APIView):
    """What all addresses below one conversation share: it is the user's own, or it is not found."""

    def conversation(self) -> Conversation:
        return found(lambda: selectors.conversation_of(person(self.request.user), self.kwargs["conversation_id"]))


class ConversationDetail(ConversationView):
    @extend_schema(tags=TAGS, summary="Read a conversation", responses={200: ConversationSerializer})
    def get(self, request: Request, conversation_id: int) -> Response:
        return Response(ConversationSerializer(self.conversation()).data)

    @extend_schema(
        tags=TAGS,
        summary="Rename or archive a conversation, choose its engine and responder, or have its replies checked",
        request=ConversationChangeSerializer,
        responses={200: ConversationSerializer},
    )
    def patch(self, request: Request, conversation_id: int) -> Response:
        conversation = self.conversation()
        fields = valid(ConversationChangeSerializer(data=request.data))
        if "engine" in fields or "responder" in fields:
            choose(
                conversation,
                engine=fields.get("engine", conversation.engine),
                responder=fields.get("responder", conversation.responder),
            )
        if "title" in fields:
            services.conversation_rename(conversation=conversation, title=fields["title"])
        if "checks_facts" in fields:
            services.conversation_check_facts(conversation=conversation, checks_facts=fields["checks_facts"])
        if "is_archived" in fields:
            services.conversation_archive(conversation=conversation, archived=fields["is_archived"])
        return Response(ConversationSerializer(self.conversation()).data)

    @extend_schema(tags=TAGS, summary="Delete a conversation, and forget what was learnt in it", responses={204: None})
    def delete(self, request: Request, conversation_id: int) -> Response:
        services.conversation_delete(conversation=self.conversation())
        return Response(status=status.HTTP_204_NO_CONTENT)


class MessageList(ConversationView):
    @extend_schema(
        tags=TAGS,
        summary="Read the newest rounds of a conversation, oldest first",
        parameters=[TranscriptQuerySerializer],
        responses={200: RoundSerializer(many=True)},
    )
    def get(self, request: Request, conversation_id: int) -> Response:
        asked = valid(TranscriptQuerySerializer(data=request.query_params))
        shown = selectors.transcript(self.conversation(), **asked)
        return Response(RoundSerializer(shown, many=True).data)

    @extend_schema(
        tags=TAGS,
        summary="Post a message",
        description="The reply is written in the background. Read it, or its events, until its state is terminal.",
        parameters=[IDEMPOTENCY_KEY],
        request=MessageSerializer,
        responses={
            202: ReplySerializer,
            409: OpenApiResponse(ProblemSerializer, "The key stands for another message."),
            413: OpenApiResponse(ProblemSerializer, "The memory may hold no more words."),
            429: OpenApiResponse(
                ProblemSerializer,
                "Too many messages in a minute, too many that wait for a reply, or no more turns that the memory may hold.",
            ),
        },
        examples=[OpenApiExample("A message", value={"text": "Where do I live?", "key": "m-17"}, request_only=True)],
    )
    def post(self, request: Request, conversation_id: int) -> Response:
        conversation = self.conversation()
        given = valid(MessageSerializer(data=request.data))
        key = key_of_request(request, given["key"])
        if not message_allowed(person(request.user).pk):
            raise Throttled(wait=MINUTE_S, detail=TOO_FAST)
        try:
            reply = services.message_post(conversation=conversation, text=given["text"], key=key)
        except MessageKeyTaken as refusal:
            raise Conflicting(str(refusal)) from refusal
        except TooManyWaiting as refusal:
            raise Throttled(detail=str(refusal)) from refusal
        except MessageRefused as refusal:
            raise ValidationError({"text": [str(refusal)]}) from refusal
        return Response(ReplySerializer(reply).data, status=status.HTTP_202_ACCEPTED)


class ConversationExport(ConversationView):
    @extend_schema(
        tags=TAGS,
        summary="Take a conversation out, as JSON or Markdown",
        parameters=[ExportQuerySerializer],
        responses={(200, "application/json"): OpenApiTypes.OBJECT, (200, "text/markdown"): OpenApiTypes.STR},
    )
    def get(self, request: Request, conversation_id: int) -> HttpResponseBase:
        asked = valid(ExportQuerySerializer(data=request.query_params))
        return export_response(self.conversation(), asked["form"])
