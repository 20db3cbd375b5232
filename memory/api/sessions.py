"""Sessions and turns: dialogue that happened elsewhere, brought in turn by turn."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.fields import CharField
from rest_framework.request import Request
from rest_framework.response import Response

from memory import selectors
from memory.api.pagination import InOrder
from memory.api.serializers import KEY_LIMIT, ProblemSerializer, SessionSerializer, TurnInSerializer, TurnSerializer
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.core.types import BY_HAND, Role
from memory.models import Session, Turn
from memory.services import session_create, session_forget
from memory.services.accounts import person
from memory.services.recording import TurnRefused, turn_record

TAGS = ["sessions and turns"]
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description=f"Your own id of this request, at most {KEY_LIMIT} characters. Sent again, it is stored once.",
)


class Conflicting(APIException):
    """Raised for a well-formed request that contradicts the present state (409)."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


def key_of_request(request: Request, field: str) -> str:
    """Return the client's idempotency key: the body's `key`, or the `Idempotency-Key` header."""
    if field:
        return field
    try:
        header = CharField(max_length=KEY_LIMIT, allow_blank=True)
        return str(header.run_validation(request.headers.get("Idempotency-Key", "")))
    except ValidationError as error:
        raise ValidationError({"Idempotency-Key": error.detail}) from error


def refuse_conversation(session: Session) -> None:
    """Raise 409 for the session of a conversation, which is written in the chat and deleted with it."""
    if hasattr(session, "conversation"):
        raise Conflicting("This session belongs to a conversation. Use the conversation instead.")


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="List the sessions of a space, newest first"),
    post=extend_schema(tags=TAGS, summary="Begin a session, or return the one with the same key"),
)
class SessionList(SpaceView, generics.ListCreateAPIView):
    queryset = Session.objects.none()
    serializer_class = SessionSerializer

    def get_queryset(self) -> QuerySet[Session]:
        return selectors.sessions_of(person(self.request.user)).filter(space=self.space)

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = session_create(space=self.space, **serializer.validated_data)


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="Read a session"),
    delete=extend_schema(
        tags=TAGS,
        summary="Forget a session: its words and all that they taught",
        responses={204: None, 409: OpenApiResponse(ProblemSerializer, "It belongs to a conversation.")},
    ),
)
class SessionDetail(generics.RetrieveDestroyAPIView):
    serializer_class = SessionSerializer

    def get_object(self) -> Session:
        return found(lambda: selectors.sessions_of(person(self.request.user)).get(pk=self.kwargs["session_id"]))

    def perform_destroy(self, instance: Session) -> None:
        refuse_conversation(instance)
        session_forget(session=instance)


@extend_schema_view(get=extend_schema(tags=TAGS, summary="List the turns of a session, in order"))
class TurnList(generics.ListAPIView):
    queryset = Turn.objects.none()
    serializer_class = TurnSerializer
    pagination_class = InOrder

    def session(self) -> Session:
        return found(lambda: selectors.sessions_of(person(self.request.user)).get(pk=self.kwargs["session_id"]))

    def get_queryset(self) -> QuerySet[Turn]:
        return Turn.objects.filter(session=self.session()).select_related("round").defer("search")

    @extend_schema(
        tags=TAGS,
        summary="Add a turn",
        description="A user's turn opens a round; an assistant's turn ends it. A whole round is read into memory at once, in "
        "the background; `maintenance` of the turn says how far that is.",
        parameters=[IDEMPOTENCY_KEY],
        request=TurnInSerializer,
        responses={
            201: TurnSerializer,
            200: OpenApiResponse(TurnSerializer, "The turn was stored before, under the same key."),
            409: OpenApiResponse(
                ProblemSerializer, "The key stands for another turn, or the session is a conversation's."
            ),
        },
        examples=[
            OpenApiExample(
                "A user's turn",
                value={
                    "role": "user",
                    "speaker": "Ana",
                    "text": "I live in Paris.",
                    "said_at": "2024-03-02T18:20:00Z",
                    "key": "D1:1",
                },
                request_only=True,
            ),
            OpenApiExample(
                "The reply to it",
                value={"role": "assistant", "speaker": "assistant", "text": "How do you like it?", "key": "D1:2"},
                request_only=True,
            ),
        ],
    )
    def post(self, request: Request, session_id: int) -> Response:
        session = self.session()
        refuse_conversation(session)
        if session.key == BY_HAND:
            raise Conflicting("This session holds what was written by hand. Add a triple instead.")
        fields = valid(TurnInSerializer(data=request.data))
        try:
            recorded = turn_record(
                session=session,
                speaker=fields["speaker"],
                role=Role(fields["role"]),
                text=fields["text"],
                said_at=fields.get("said_at") or timezone.now(),
                key=key_of_request(request, fields["key"]),
                ends_round=fields["ends_round"],
            )
        except TurnRefused as refusal:
            raise Conflicting(str(refusal)) from refusal
        except Session.DoesNotExist as forgotten:
            raise NotFound from forgotten
        turn = selectors.turns_of(person(request.user)).select_related("round").get(pk=recorded.turn.pk)
        code = status.HTTP_201_CREATED if recorded.is_new else status.HTTP_200_OK
        return Response(TurnSerializer(turn).data, status=code)


@extend_schema_view(get=extend_schema(tags=TAGS, summary="Read a turn"))
class TurnDetail(generics.RetrieveAPIView):
    serializer_class = TurnSerializer

    def get_object(self) -> Turn:
        turns = selectors.turns_of(person(self.request.user)).select_related("round")
        return found(lambda: turns.get(pk=self.kwargs["turn_id"]))
