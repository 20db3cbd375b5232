"""Spaces: list, make, rename, forget, take out."""

from typing import Any

from django.db.models import F, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import selectors
from memory.api.serializers import ExportSerializer, SpaceDetailSerializer, SpaceSerializer
from memory.api.tenancy import found, require_owner, space_of_token
from memory.models import Membership, Space
from memory.services import space_create, space_forget
from memory.services.accounts import person
from memory.services.members import space_rename
from memory.views.spaces import export_response

TAGS = ["spaces"]


def spaces_with_role(request: Request) -> QuerySet[Space]:
    spaces = selectors.spaces_of(person(request.user)).annotate(role=F("memberships__role"))
    bound = space_of_token(request)
    return spaces if bound is None else spaces.filter(pk=bound)


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="List your spaces"),
    post=extend_schema(tags=TAGS, summary="Make a space"),
)
class SpaceList(generics.ListCreateAPIView):
    is_narrowed_by_token = True
    queryset = Space.objects.none()
    serializer_class = SpaceSerializer

    def get_queryset(self) -> QuerySet[Space]:
        return spaces_with_role(self.request)

    def perform_create(self, serializer: Any) -> None:
        if space_of_token(self.request) is not None:
            raise PermissionDenied("This token opens one memory. It makes no others.")
        serializer.instance = space_create(name=serializer.validated_data["name"], owner=person(self.request.user))
        serializer.instance.role = Membership.Role.OWNER


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="Read a space, with counts of what it holds"),
    patch=extend_schema(tags=TAGS, summary="Rename a space (owners)"),
    delete=extend_schema(tags=TAGS, summary="Forget a space with everything in it (owners)"),
)
class SpaceDetail(generics.RetrieveUpdateDestroyAPIView):
    http_method_names = ["get", "patch", "delete", "head", "options"]
    owner_methods = ("PATCH", "DELETE")
    serializer_class = SpaceDetailSerializer
    lookup_url_kwarg = "space_id"

    def get_object(self) -> Space:
        space = found(lambda: spaces_with_role(self.request).get(pk=self.kwargs["space_id"]))
        space.counts = selectors.space_counts(space)
        return space

    def perform_update(self, serializer: Any) -> None:
        require_owner(person(self.request.user), serializer.instance)
        space_rename(space=serializer.instance, name=serializer.validated_data.get("name", ""))

    def perform_destroy(self, instance: Space) -> None:
        require_owner(person(self.request.user), instance)
        space_forget(space=instance, by=person(self.request.user))


class SpaceExport(APIView):
    @extend_schema(tags=TAGS, summary="Take everything out of a space", responses={200: ExportSerializer})
    def get(self, request: Request, space_id: int) -> HttpResponseBase:
        reader = person(request.user)
        return export_response(found(lambda: selectors.space_of(reader, space_id)), reader)


class ApiRoot(APIView):
    """Where things are."""

    is_narrowed_by_token = True

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        names = {"spaces": "spaces/", "conversations": "conversations/", "schema": "schema/", "docs": "docs/"}
        here = request.build_absolute_uri(request.path)
        return Response({name: here + path for name, path in names.items()}, status=status.HTTP_200_OK)
