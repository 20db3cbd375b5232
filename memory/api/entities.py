"""Entities: find, read, rename, merge, split."""

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import selectors
from memory.api.edit_serializers import (
    EntityDetailSerializer,
    EntityQuerySerializer,
    MergeSerializer,
    RenameSerializer,
    SplitSerializer,
)
from memory.api.refusals import refusals
from memory.api.serializers import ProblemSerializer
from memory.api.tenancy import SpaceView, found
from memory.api.validation import valid
from memory.models import EntityRecord
from memory.services.accounts import person
from memory.services.edits.merge import entities_merge, entity_split
from memory.services.edits.rename import entity_rename

TAGS = ["entities"]
REFUSED = OpenApiResponse(ProblemSerializer, "It cannot be done, for the reason given. Nothing was changed.")


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List the entities of a space, or find them by name", parameters=[EntityQuerySerializer]
    )
)
class EntityList(SpaceView, generics.ListAPIView):
    queryset = EntityRecord.objects.none()
    serializer_class = EntityDetailSerializer

    def get_queryset(self) -> QuerySet[EntityRecord]:
        asked = valid(EntityQuerySerializer(data=self.request.query_params))
        return selectors.entities_called(person(self.request.user), self.space, asked.get("q", ""))


class OneEntity(APIView):
    def entity(self) -> EntityRecord:
        return found(lambda: selectors.entity_record_of(person(self.request.user), self.kwargs["entity_id"]))

    def shown(self, entity: EntityRecord, code: int = status.HTTP_200_OK) -> Response:
        fresh = selectors.entity_record_of(person(self.request.user), entity.pk)
        return Response(EntityDetailSerializer(fresh).data, status=code)


class EntityDetail(OneEntity):
    @extend_schema(tags=TAGS, summary="Read an entity", responses={200: EntityDetailSerializer})
    def get(self, request: Request, entity_id: int) -> Response:
        return Response(EntityDetailSerializer(self.entity()).data)

    @extend_schema(
        tags=TAGS,
        summary="Rename an entity, give it names, take names away",
        request=RenameSerializer,
        responses={200: EntityDetailSerializer, 409: REFUSED},
    )
    def patch(self, request: Request, entity_id: int) -> Response:
        entity = self.entity()
        given = valid(RenameSerializer(data=request.data))
        with refusals():
            entity_rename(entity=entity, by=person(request.user), **given)
        return self.shown(entity)


class EntityMerge(OneEntity):
    @extend_schema(
        tags=TAGS,
        summary="Merge another entity into this one",
        description="What was said of either is this one's, under both names. It can be undone.",
        request=MergeSerializer,
        responses={200: EntityDetailSerializer, 409: REFUSED},
    )
    def post(self, request: Request, entity_id: int) -> Response:
        keep = self.entity()
        given = valid(MergeSerializer(data=request.data))
        gone = found(lambda: selectors.entity_record_of(person(request.user), given["entity"]))
        with refusals():
            entities_merge(space=keep.space, keep=keep, gone=gone, by=person(request.user))
        return self.shown(keep)


class EntitySplit(OneEntity):
    @extend_schema(
        tags=TAGS,
        summary="Split a new entity from this one",
        description="Chosen triples and names go to the new one, and later mentions of the names mean it. It can be undone.",
        request=SplitSerializer,
        responses={201: EntityDetailSerializer, 409: REFUSED},
    )
    def post(self, request: Request, entity_id: int) -> Response:
        entity = self.entity()
        given = valid(SplitSerializer(data=request.data))
        with refusals():
            new = entity_split(space=entity.space, entity=entity, by=person(request.user), **given)
        return self.shown(new, status.HTTP_201_CREATED)
