"""What people decide by hand beside triples and entities: retractions, predicates, conflicts, the audit, undo."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import selectors
from memory.api.edit_serializers import DecisionSerializer, DeclarationSerializer, EditSerializer, PredicateSerializer
from memory.api.entities import REFUSED
from memory.api.refusals import refusals
from memory.api.serializers import ConflictSerializer, TripleDetailSerializer
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.models import EditRecord
from memory.services.accounts import person
from memory.services.edits.confirm import triple_confirm
from memory.services.edits.correct import triple_retract
from memory.services.edits.decide import Verdict, conflict_decide
from memory.services.edits.declare import predicate_declare
from memory.services.edits.undo import edit_undo

TAGS = ["edits"]


class TripleRetract(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Say that a triple is wrong",
        description="It holds no longer and keeps its history. Unlike forgetting, it can be undone.",
        request=None,
        responses={200: TripleDetailSerializer, 409: REFUSED},
    )
    def post(self, request: Request, triple_id: int) -> Response:
        triple = found(lambda: selectors.triple_record_of(person(request.user), triple_id))
        with refusals():
            triple_retract(triple=triple, by=person(request.user))
        return Response(TripleDetailSerializer(selectors.triple_record_of(person(request.user), triple_id)).data)


class TripleConfirm(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Say that a triple that was read unsurely was meant",
        description="It holds from then on as if it had been read surely, and settles with what else is told of the same.",
        request=None,
        responses={200: TripleDetailSerializer, 409: REFUSED},
    )
    def post(self, request: Request, triple_id: int) -> Response:
        triple = found(lambda: selectors.triple_record_of(person(request.user), triple_id))
        with refusals():
            triple_confirm(triple=triple, by=person(request.user))
        return Response(TripleDetailSerializer(selectors.triple_record_of(person(request.user), triple_id)).data)


class PredicateList(SpaceView):
    @extend_schema(
        tags=TAGS,
        summary="List the predicates of a space, the most used first",
        responses={200: PredicateSerializer(many=True)},
    )
    def get(self, request: Request, space_id: int) -> Response:
        return Response(PredicateSerializer(selectors.predicates_in(self.space), many=True).data)


class PredicateDetail(SpaceView):
    @extend_schema(tags=TAGS, summary="Read a predicate", responses={200: PredicateSerializer})
    def get(self, request: Request, space_id: int, name: str) -> Response:
        return Response(PredicateSerializer(selectors.predicate_in(self.space, name)).data)

    @extend_schema(
        tags=TAGS,
        summary="Declare whether a predicate has one value at a time",
        description="Where it gets one value at a time, what was said last holds; the rest is superseded, each with a "
        "conflict. It can be undone as a whole.",
        request=DeclarationSerializer,
        responses={200: PredicateSerializer, 409: REFUSED},
    )
    def put(self, request: Request, space_id: int, name: str) -> Response:
        given = valid(DeclarationSerializer(data=request.data))
        with refusals():
            declared = predicate_declare(space=self.space, name=name, by=person(request.user), **given)
        return Response(PredicateSerializer(selectors.predicate_in(self.space, declared.name)).data)


class ConflictDecide(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Decide a conflict",
        request=DecisionSerializer,
        responses={200: ConflictSerializer, 409: REFUSED},
    )
    def post(self, request: Request, conflict_id: int) -> Response:
        conflict = found(lambda: selectors.conflicts_of(person(request.user)).get(pk=conflict_id))
        given = valid(DecisionSerializer(data=request.data))
        with refusals():
            conflict_decide(conflict=conflict, decision=Verdict(given["decision"]), by=person(request.user))
        decided = selectors.conflicts_of(person(request.user)).get(pk=conflict_id)
        return Response(ConflictSerializer(decided).data)


@extend_schema_view(get=extend_schema(tags=TAGS, summary="List what was changed by hand in a space, newest first"))
class EditList(SpaceView, generics.ListAPIView):
    queryset = EditRecord.objects.none()
    serializer_class = EditSerializer

    def get_queryset(self) -> QuerySet[EditRecord]:
        return selectors.edits_of(person(self.request.user)).filter(space=self.space)


class EditUndo(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Undo a change",
        description="Everything is again as it was before the change. Later changes that rest on it have to be undone first.",
        request=None,
        responses={200: EditSerializer, 409: REFUSED},
    )
    def post(self, request: Request, edit_id: int) -> Response:
        edit = found(lambda: selectors.edits_of(person(request.user)).get(pk=edit_id))
        with refusals():
            edit_undo(edit=edit, by=person(request.user))
        return Response(EditSerializer(selectors.edits_of(person(request.user)).get(pk=edit_id)).data)
