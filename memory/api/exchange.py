"""The graph of a space as a whole: taken out and brought in as RDF, as of any turn, and the difference of two turns."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from memory import selectors
from memory.api.imports import ImportJobSerializer
from memory.api.parsing import BodyTooLarge, PlainMultiPartParser
from memory.api.serializers import ProblemSerializer, TripleSerializer
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.core.knowledge_graph.rdf.parsing import GraphFileRefused
from memory.core.knowledge_graph.rdf.terms import GraphFormat
from memory.models import TripleRecord, Turn
from memory.services.accounts import person
from memory.services.exchange import graph_import, graph_job_create
from memory.services.exchange.rdf_import import limits
from memory.views.spaces import graph_response

TAGS = ["graph"]
FORMATS = [form.value for form in GraphFormat]
MULTIPART_EXTRA_BYTES = 64 * 1024


class GraphFormatQuerySerializer(serializers.Serializer):
    form = serializers.ChoiceField(choices=FORMATS, default=GraphFormat.TURTLE.value)


class GraphFileSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="Turtle, JSON-LD, RDF/XML or N-Quads in UTF-8. Nothing is ever fetched.")
    form = serializers.ChoiceField(
        choices=FORMATS, required=False, help_text="The format; by default what the file's name tells."
    )

    background = serializers.BooleanField(default=False, help_text="Answer at once, and import afterwards.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        told = attrs.get("form") or GraphFormat.of_file(attrs["file"].name)
        if told is None:
            raise serializers.ValidationError({"form": f"Say which format the file has: {', '.join(FORMATS)}."})
        attrs["form"] = GraphFormat(told)
        return attrs


class GraphImportedSerializer(serializers.Serializer):
    """What an import added; all 0 where everything was here already."""

    sessions = serializers.IntegerField()
    sentences = serializers.IntegerField()
    triples = serializers.IntegerField()


class DifferenceQuerySerializer(serializers.Serializer):
    change = serializers.ChoiceField(choices=["all", "added", "superseded"], default="all")

    def get_fields(self) -> dict[str, serializers.Field]:
        """`from` is a word of Python's."""
        ends = {name: serializers.IntegerField(help_text="The number of a turn.") for name in ("from", "to")}
        return {**ends, **super().get_fields()}


class ChangedTripleSerializer(TripleSerializer):
    change = serializers.ChoiceField(
        choices=["added", "superseded"], read_only=True, help_text="What became of it between the two turns."
    )

    class Meta(TripleSerializer.Meta):
        fields = [*TripleSerializer.Meta.fields, "change"]
        read_only_fields = fields


class AnyAnswer(BaseContentNegotiation):
    """The format of a document is asked for in the query; what a client would accept does not refuse it."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]


class SpaceGraph(SpaceView):
    content_negotiation_class = AnyAnswer
    parser_classes = [PlainMultiPartParser]

    @extend_schema(
        tags=TAGS,
        summary="Take the graph out as RDF, with its history and provenance",
        description="N-Quads has a named graph for each turn. The other formats tell the turn in each triple's description.",
        parameters=[GraphFormatQuerySerializer],
        responses={(200, form.media_type): OpenApiTypes.STR for form in GraphFormat},
    )
    def get(self, request: Request, space_id: int) -> HttpResponseBase:
        asked = valid(GraphFormatQuerySerializer(data=request.query_params))
        return graph_response(self.space, GraphFormat(asked["form"]))

    @extend_schema(
        tags=TAGS,
        summary="Bring RDF in: an exported graph, or anybody's facts",
        description="All of it or nothing. A file that was brought in before adds nothing. `background` answers at once.",
        request={"multipart/form-data": GraphFileSerializer},
        responses={
            200: GraphImportedSerializer,
            202: ImportJobSerializer,
            400: OpenApiResponse(ProblemSerializer, "The file cannot be taken; the sentence says why."),
            413: OpenApiResponse(ProblemSerializer, "The file is too large."),
        },
        examples=[OpenApiExample("Added", value={"sessions": 1, "sentences": 12, "triples": 12}, response_only=True)],
    )
    def post(self, request: Request, space_id: int) -> Response:
        declared = request.META.get("CONTENT_LENGTH") or "0"
        if declared.isdecimal() and int(declared) > limits().size + MULTIPART_EXTRA_BYTES:
            raise BodyTooLarge(f"A file can have at most {limits().size // 1024 // 1024} MB.")
        given = valid(GraphFileSerializer(data=request.data))
        file: UploadedFile = given["file"]
        content, by, name = file.read(limits().size + 1), person(request.user), file.name or ""
        if given["background"] and len(content) <= limits().size:
            job = graph_job_create(space=self.space, by=by, content=content, form=given["form"], name=name)
            return Response(ImportJobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
        try:
            added = graph_import(space=self.space, content=content, form=given["form"], name=name, by=by)
        except GraphFileRefused as refusal:
            raise serializers.ValidationError({"detail": str(refusal)}) from refusal
        return Response(GraphImportedSerializer(added).data, status=status.HTTP_200_OK)


class SpaceTripleList(SpaceView, generics.ListAPIView):
    queryset = TripleRecord.objects.none()

    def turn(self, turn_id: int) -> Turn:
        turns = selectors.turns_of(person(self.request.user)).filter(space=self.space).select_related("round")
        return found(lambda: turns.get(pk=turn_id))


@extend_schema_view(
    get=extend_schema(
        tags=TAGS,
        summary="List the triples that were believed as of a turn, newest first",
        description="`is_active` and `superseded_at` tell how a triple stands now.",
    )
)
class GraphAsOf(SpaceTripleList):
    serializer_class = TripleSerializer

    def get_queryset(self) -> QuerySet[TripleRecord]:
        return selectors.graph_as_of(self.space, self.turn(self.kwargs["turn_id"]))


@extend_schema_view(
    get=extend_schema(
        tags=TAGS,
        summary="List what changed in the graph between two turns, newest first",
        parameters=[DifferenceQuerySerializer],
    )
)
class GraphDifference(SpaceTripleList):
    serializer_class = ChangedTripleSerializer

    def get_queryset(self) -> QuerySet[TripleRecord]:
        ends = valid(DifferenceQuerySerializer(data=self.request.query_params))
        difference = selectors.graph_difference(self.space, self.turn(ends["from"]), self.turn(ends["to"]))
        return {"added": difference.added, "superseded": difference.superseded, "all": difference.changes}[
            ends["change"]
        ]
