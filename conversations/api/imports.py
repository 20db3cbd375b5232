"""Chats of other programs: an export is sent, read, and imported as it is then asked for."""

from functools import partial

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from conversations.core.errors import ImportRefused
from conversations.services.chat_imports import Choices, chats_job_begin, chats_job_create
from memory import selectors
from memory.api.imports import ANSWERS, TAGS, ImportJobSerializer, acted, job_of
from memory.api.parsing import PlainMultiPartParser
from memory.api.serializers import ProblemSerializer
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.services import space_personal
from memory.services.accounts import person

MOST_KEYS = 10_000


class ChatsFileSerializer(serializers.Serializer):
    file = serializers.FileField(
        help_text="The export of ChatGPT, Claude, Open WebUI, LibreChat or Mem0, by itself or as .zip."
    )
    space = serializers.IntegerField(required=False, help_text="By default your own memory.")


class ChatsChoiceSerializer(serializers.Serializer):
    since = serializers.DateField(
        required=False, allow_null=True, default=None, help_text="Chats that began then or later."
    )
    keys = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, allow_null=True, default=None, max_length=MOST_KEYS,
        help_text="Only the chats with these keys; by default all.",
    )  # fmt: skip
    remember = serializers.BooleanField(default=True, help_text="Whether what was said is read into the memory.")
    replies = serializers.BooleanField(
        default=False, help_text="Whether the other program's turns are scored as replies."
    )


class ChatsImport(APIView):
    parser_classes = [PlainMultiPartParser]

    @extend_schema(
        tags=TAGS,
        summary="Send an export of ChatGPT, Claude, Open WebUI, LibreChat or Mem0",
        description="It is read in the background. Once its `state` is `ready`, `preview` says what is in it: begin then.",
        request={"multipart/form-data": ChatsFileSerializer},
        responses={
            202: ImportJobSerializer,
            400: OpenApiResponse(ProblemSerializer, "The file cannot be taken; the sentence says why."),
        },
    )
    def post(self, request: Request) -> Response:
        given = valid(ChatsFileSerializer(data=request.data))
        user, file = person(request.user), given["file"]
        asked = given.get("space")
        space = space_personal(user=user) if asked is None else found(lambda: selectors.space_of(user, asked))
        if file.size > settings.DSMART_CHATS_MB * 1024 * 1024:
            raise serializers.ValidationError({"detail": f"The file is larger than {settings.DSMART_CHATS_MB:g} MB."})
        try:
            job = chats_job_create(space=space, owner=user, file=file, name=file.name or "")
        except ImportRefused as refusal:
            raise serializers.ValidationError({"detail": str(refusal)}) from refusal
        return Response(ImportJobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class ChatsBegin(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Import chats of an export that was read",
        request=ChatsChoiceSerializer,
        responses=ANSWERS,
        examples=[OpenApiExample("Since 2024", value={"since": "2024-01-01"}, request_only=True)],
    )
    def post(self, request: Request, job_id: int) -> Response:
        job_of(request, job_id)
        asked = valid(ChatsChoiceSerializer(data=request.data))
        keys = frozenset(asked["keys"]) if asked["keys"] is not None else None
        choices = Choices(asked["since"], keys, remember=asked["remember"], replies=asked["replies"])
        begin = partial(chats_job_begin, choices=choices)
        return acted(request, job_id, begin, "This import is not ready to begin, or was begun already.")
