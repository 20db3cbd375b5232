"""What a space holds and may hold; administrators decide the latter."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import selectors
from memory.adapters.row_security.scope import EVERYTHING, enter
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.models import Space
from memory.services.accounts import person
from memory.services.quotas import quota_of, space_quota_set, usage_of

TAGS = ["spaces"]
LARGEST = 2**53


class AmountsSerializer(serializers.Serializer):
    turns = serializers.IntegerField()
    bytes = serializers.IntegerField(help_text="Of the words, in UTF-8.")
    imports = serializers.IntegerField(help_text="Today.")


class QuotaSerializer(serializers.Serializer):
    """`own` are the limits that administrators gave the space: null is the default, 0 none. `limits` are those that count."""

    used = AmountsSerializer()
    limits = AmountsSerializer()
    own = serializers.DictField(child=serializers.IntegerField(allow_null=True))


class QuotaInSerializer(serializers.Serializer):
    turns = serializers.IntegerField(min_value=0, max_value=LARGEST, allow_null=True, required=False)
    bytes = serializers.IntegerField(min_value=0, max_value=LARGEST, allow_null=True, required=False)
    imports = serializers.IntegerField(min_value=0, max_value=2**31 - 1, allow_null=True, required=False)


class SpaceQuota(APIView):
    owner_methods = ("PATCH",)

    def space(self) -> Space:
        """Return the space of a member, or any for an administrator."""
        user = person(self.request.user)
        if user.is_staff:
            enter(EVERYTHING)
        spaces: QuerySet[Space] = Space.objects.all() if user.is_staff else selectors.spaces_of(user)
        return found(lambda: spaces.get(pk=self.kwargs["space_id"]))

    @extend_schema(tags=TAGS, summary="Read what a space holds and may hold", responses=QuotaSerializer)
    def get(self, request: Request, space_id: int) -> Response:
        return Response(QuotaSerializer(told(self.space())).data)

    @extend_schema(
        tags=TAGS,
        summary="Give a space limits of its own (administrators)",
        request=QuotaInSerializer,
        responses=QuotaSerializer,
    )
    def patch(self, request: Request, space_id: int) -> Response:
        space = self.space()
        if not person(request.user).is_staff:
            raise PermissionDenied("Only an administrator may change what a memory may hold.")
        own = own_limits(space) | valid(QuotaInSerializer(data=request.data))
        space_quota_set(space=space, turns=own["turns"], size=own["bytes"], imports=own["imports"])
        return Response(QuotaSerializer(told(space)).data)


def own_limits(space: Space) -> dict[str, int | None]:
    return {"turns": space.turn_limit, "bytes": space.byte_limit, "imports": space.import_limit}


def told(space: Space) -> dict[str, Any]:
    return {"used": usage_of(space), "limits": quota_of(space), "own": own_limits(space)}
