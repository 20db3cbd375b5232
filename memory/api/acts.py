"""The log of acts, for owners of a space and for administrators."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from memory.adapters.row_security.scope import EVERYTHING, enter
from memory.api.tenancy import SpaceView, require_owner
from memory.api.validation import valid
from memory.models import ActRecord
from memory.selectors.acts import ActsAsked, acts_of, name_of
from memory.services.accounts import person

TAGS = ["log"]


class ActsQuerySerializer(serializers.Serializer):
    kind = serializers.ChoiceField(choices=ActRecord.Kind.choices, required=False, default="")
    person = serializers.CharField(
        max_length=150, required=False, default="", help_text="The account that acted or that it concerns."
    )
    since = serializers.DateField(required=False, default=None)
    until = serializers.DateField(required=False, default=None)


class LoggedActSerializer(serializers.ModelSerializer):
    """An act. `details` are empty once the space or the person is forgotten."""

    kind = serializers.ChoiceField(choices=ActRecord.Kind.choices, read_only=True)
    by = serializers.SerializerMethodField(help_text="Empty for the command line and for whoever was not signed in.")
    about = serializers.SerializerMethodField()
    details = serializers.CharField(source="words", read_only=True)

    class Meta:
        model = ActRecord
        fields = ["id", "kind", "by", "about", "space", "details", "address", "request_id", "created_at"]
        read_only_fields = fields

    def get_by(self, act: ActRecord) -> str:
        return name_of(act, "actor")

    def get_about(self, act: ActRecord) -> str:
        return name_of(act, "subject")


def asked_by(request: Request) -> ActsAsked:
    return ActsAsked(**valid(ActsQuerySerializer(data=request.query_params)))


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List the acts in a space, newest first (owners)", parameters=[ActsQuerySerializer]
    )
)
class SpaceActList(SpaceView, generics.ListAPIView):
    queryset = ActRecord.objects.none()
    serializer_class = LoggedActSerializer
    owner_methods = ("GET",)

    def get_queryset(self) -> QuerySet[ActRecord]:
        require_owner(person(self.request.user), self.space)
        return acts_of(self.space, asked_by(self.request))


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List all acts, newest first (administrators)", parameters=[ActsQuerySerializer]
    )
)
class ActList(generics.ListAPIView):
    queryset = ActRecord.objects.none()
    serializer_class = LoggedActSerializer
    owner_methods = ("GET",)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not person(request.user).is_staff:
            raise PermissionDenied("Only an administrator may read the whole log.")
        enter(EVERYTHING)

    def get_queryset(self) -> QuerySet[ActRecord]:
        return acts_of(None, asked_by(self.request))
