"""Knowledge bases: what there is, bringing a file in, taking a base away, and the triples that fit a dialogue."""

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memory import bootstrap
from memory.adapters.knowledge_files import FORMS
from memory.api.parsing import PlainMultiPartParser
from memory.api.serializers import ProblemSerializer
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.core.errors import KnowledgeRefused
from memory.models import KnowledgeBaseRecord
from memory.selectors.knowledge import knowledge_bases_of
from memory.services.accounts import person
from memory.services.knowledge import knowledge_promise_removal, knowledge_upload
from memory.services.knowledge.bases import UPLOAD_LIMIT

TAGS = ["knowledge bases"]
UTTERANCES, UTTERANCE, MOST = 50, 20_000, 1_000
UPLOADED = [name for name in FORMS if name != "opendialkg"]


class KnowledgeBaseSerializer(serializers.ModelSerializer):
    class Meta:
        model = KnowledgeBaseRecord
        fields = [
            *("id", "space", "name", "source", "licence", "form", "state", "progress", "error"),
            *("entities", "aliases", "triples", "passages", "created_at"),
        ]
        read_only_fields = fields


class KnowledgeFileSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="Triples with tabs, N-Triples, or passages as JSON lines, in UTF-8.")
    name = serializers.CharField(max_length=120)
    licence = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    form = serializers.ChoiceField(
        choices=UPLOADED, required=False, default="", help_text="The format; by default what the file holds tells."
    )


class DialogueSerializer(serializers.Serializer):
    dialogue = serializers.ListField(
        child=serializers.CharField(max_length=UTTERANCE, allow_blank=True), min_length=1, max_length=UTTERANCES,
        help_text="The turns, oldest first.",
    )  # fmt: skip
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=100)


class KnowledgeTripleSerializer(serializers.Serializer):
    subject = serializers.CharField()
    relation = serializers.CharField()
    object = serializers.CharField()
    source = serializers.CharField(help_text="The name of the knowledge base.")
    base = serializers.IntegerField(source="base_id")


@extend_schema_view(get=extend_schema(tags=TAGS, summary="List the knowledge bases of a space, newest first"))
class KnowledgeList(SpaceView, generics.ListAPIView):
    queryset = KnowledgeBaseRecord.objects.none()
    serializer_class = KnowledgeBaseSerializer
    parser_classes = [PlainMultiPartParser]

    def get_queryset(self) -> QuerySet[KnowledgeBaseRecord]:
        return knowledge_bases_of(person(self.request.user)).filter(space=self.space)

    @extend_schema(
        tags=TAGS,
        summary="Bring a knowledge base in from a file",
        description=f"At most {UPLOAD_LIMIT // 1024 // 1024} MB. It is imported in the background: see `state`.",
        request={"multipart/form-data": KnowledgeFileSerializer},
        responses={
            202: KnowledgeBaseSerializer,
            400: OpenApiResponse(ProblemSerializer, "The file cannot be taken; the sentence says why."),
        },
    )
    def post(self, request: Request, space_id: int) -> Response:
        given = valid(KnowledgeFileSerializer(data=request.data))
        file = given.pop("file")
        try:
            base = knowledge_upload(
                space=self.space, content=file.read(UPLOAD_LIMIT + 1), file_name=file.name or "", **given
            )
        except KnowledgeRefused as refusal:
            raise serializers.ValidationError({"detail": str(refusal)}) from refusal
        return Response(KnowledgeBaseSerializer(base).data, status=status.HTTP_202_ACCEPTED)


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="Read a knowledge base: its state and what it holds"),
    delete=extend_schema(tags=TAGS, summary="Remove a knowledge base with everything in it"),
)
class KnowledgeDetail(generics.RetrieveDestroyAPIView):
    queryset = KnowledgeBaseRecord.objects.none()
    serializer_class = KnowledgeBaseSerializer

    def get_object(self) -> KnowledgeBaseRecord:
        return found(lambda: knowledge_bases_of(person(self.request.user)).get(pk=self.kwargs["base_id"]))

    def perform_destroy(self, instance: KnowledgeBaseRecord) -> None:
        knowledge_promise_removal(base=instance)


class KnowledgeCandidates(SpaceView):
    @extend_schema(
        tags=TAGS,
        summary="Find the triples of what a dialogue names",
        description="Those of the things that were named last come first.",
        request=DialogueSerializer,
        responses={200: KnowledgeTripleSerializer(many=True)},
        examples=[OpenApiExample("A question", value={"dialogue": ["Who wrote It?"], "limit": 10}, request_only=True)],
    )
    def post(self, request: Request, space_id: int) -> Response:
        asked = valid(DialogueSerializer(data=request.data))
        triples = bootstrap.space_knowledge(self.space.pk).candidates(asked["dialogue"], limit=asked["limit"])
        return Response(KnowledgeTripleSerializer(triples, many=True).data)
