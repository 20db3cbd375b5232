"""What is known: triples, conflicts and a search in sentences."""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import bootstrap, selectors
from memory.api.edit_serializers import AdditionSerializer
from memory.api.refusals import refusals
from memory.api.serializers import (
    ConflictSerializer,
    CorrectionSerializer,
    ProblemSerializer,
    ScoredSentenceSerializer,
    SentenceQuerySerializer,
    TripleDetailSerializer,
    TripleQuerySerializer,
    TripleSerializer,
)
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.core.naming import key_of
from memory.core.types import Modality
from memory.models import AliasRecord, ConflictRecord, Session, Space, TripleRecord
from memory.services import triple_correct, triple_forget
from memory.services.accounts import person
from memory.services.edits.add import triple_add

TAGS = ["knowledge"]


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List the triples of a space, newest first", parameters=[TripleQuerySerializer]
    )
)
class TripleList(SpaceView, generics.ListAPIView):
    queryset = TripleRecord.objects.none()
    serializer_class = TripleSerializer

    @extend_schema(
        tags=TAGS,
        summary="Add a triple by hand",
        description="It is written down as your own words and merged like them: what it contradicts is superseded.",
        request=AdditionSerializer,
        responses={
            201: TripleDetailSerializer,
            409: OpenApiResponse(ProblemSerializer, "It is remembered already, or cannot be said."),
        },
        examples=[
            OpenApiExample(
                "A move", value={"subject": "Ana", "predicate": "lives in", "value": "Lyon"}, request_only=True
            )
        ],
    )
    def post(self, request: Request, space_id: int) -> Response:
        given = valid(AdditionSerializer(data=request.data))
        with refusals():
            new = triple_add(space=self.space, by=person(request.user), **given)
        shown = selectors.triple_record_of(person(request.user), new.pk)
        return Response(TripleDetailSerializer(shown).data, status=status.HTTP_201_CREATED)

    def get_queryset(self) -> QuerySet[TripleRecord]:
        asked = valid(TripleQuerySerializer(data=self.request.query_params))
        return narrowed(
            selectors.triple_records_of(person(self.request.user)).filter(space=self.space), self.space, asked
        )


def narrowed(triples: QuerySet[TripleRecord], space: Space, asked: dict[str, Any]) -> QuerySet[TripleRecord]:
    """Return those of a space's triples that the query parameters select; 404 for a session of another space."""
    triples = triples.filter(STATUS[asked["status"]]())
    if "subject" in asked:
        named = AliasRecord.objects.filter(space=space, key=key_of(asked["subject"])).values("entity_id")
        triples = triples.filter(subject_id__in=named)
    if "predicate" in asked:
        triples = triples.filter(predicate=asked["predicate"])
    if "session" in asked:
        session = found(lambda: Session.objects.get(space=space, pk=asked["session"]))
        triples = triples.filter(round__session=session)
    return triples


def holds_now() -> Q:
    now = timezone.now()
    has_begun = Q(valid_from=None) | Q(valid_from__lte=now)
    goes_on = Q(valid_to=None) | Q(valid_to__gt=now)
    return Q(superseded_at=None, modality=Modality.ASSERTED) & has_begun & goes_on


STATUS = {
    "current": holds_now,
    "active": lambda: Q(superseded_at=None),
    "superseded": lambda: Q(superseded_at__isnull=False),
    "all": Q,
}


class TripleDetail(APIView):
    def triple(self) -> TripleRecord:
        return found(lambda: selectors.triple_record_of(person(self.request.user), self.kwargs["triple_id"]))

    @extend_schema(
        tags=TAGS,
        summary="Read a triple, with its source and what it replaced",
        responses={200: TripleDetailSerializer},
    )
    def get(self, request: Request, triple_id: int) -> Response:
        return Response(TripleDetailSerializer(self.triple()).data)

    @extend_schema(
        tags=TAGS,
        summary="Correct a triple",
        description="The triple is replaced by one with another value, predicate or subject and keeps its history and its "
        "source; the new one's source is the correction. The answer is the new triple. It can be undone.",
        request=CorrectionSerializer,
        responses={
            200: TripleDetailSerializer,
            409: OpenApiResponse(ProblemSerializer, "The triple was replaced meanwhile."),
        },
        examples=[OpenApiExample("Not Paris but Lyon", value={"value": "Lyon"}, request_only=True)],
    )
    def patch(self, request: Request, triple_id: int) -> Response:
        triple = self.triple()
        given = valid(CorrectionSerializer(data=request.data))
        with refusals():
            new = triple_correct(triple=triple, by=person(request.user), **given)
        return Response(TripleDetailSerializer(selectors.triple_record_of(person(request.user), new.pk)).data)

    @extend_schema(tags=TAGS, summary="Forget a triple for good", responses={204: None})
    def delete(self, request: Request, triple_id: int) -> Response:
        triple_forget(triple=self.triple(), by=person(request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(get=extend_schema(tags=TAGS, summary="List the conflicts of a space, newest first"))
class ConflictList(SpaceView, generics.ListAPIView):
    queryset = ConflictRecord.objects.none()
    serializer_class = ConflictSerializer

    def get_queryset(self) -> QuerySet[ConflictRecord]:
        return selectors.conflicts_of(person(self.request.user)).filter(space=self.space)


class SentenceSearch(SpaceView):
    @extend_schema(
        tags=TAGS,
        summary="Find sentences near to a query in meaning and in words, best first",
        parameters=[SentenceQuerySerializer],
        responses={200: ScoredSentenceSerializer(many=True)},
    )
    def get(self, request: Request, space_id: int) -> Response:
        asked = valid(SentenceQuerySerializer(data=request.query_params))
        memory = bootstrap.space_memory(self.space.pk)
        hits = memory.sentences_like(asked["q"], limit=asked["limit"])
        return Response(ScoredSentenceSerializer(hits, many=True).data)
