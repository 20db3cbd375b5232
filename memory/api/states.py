"""The semantic state of a session: its elements, their history, and what a person says of one of them."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory import selectors
from memory.api.entities import REFUSED
from memory.api.pagination import NewestFirst
from memory.api.refusals import refusals
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.models import StateChangeRecord, StateElementRecord
from memory.models.semantic_state import CURRENT
from memory.selectors.semantic_state import state_element_of, state_elements_of
from memory.services.accounts import person
from memory.services.semantic_state import ACTS, WORDS_LIMIT

TAGS = ["states"]


class StateQuerySerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        choices=["current", "all"], default="current", help_text="`current`: what still counts."
    )


class StateElementSerializer(serializers.ModelSerializer):
    """`key` is the element's id in its session, which `basis` and `cause` name; `details` are the fields of its kind."""

    class Meta:
        model = StateElementRecord
        fields = [
            *("id", "session", "key", "kind", "status", "description", "words", "said_in", "basis"),
            *("details", "triple"),
        ]
        read_only_fields = fields


class StateChangeSerializer(serializers.ModelSerializer):
    class Meta:
        model = StateChangeRecord
        fields = ["before", "after", "because", "evidence", "cause", "by", "created_at"]
        read_only_fields = fields


class StateRefusalSerializer(serializers.ModelSerializer):
    class Meta:
        model = StateChangeRecord
        fields = ["id", "proposed", "because", "created_at"]
        read_only_fields = fields


class StateElementDetailSerializer(StateElementSerializer):
    changes = StateChangeSerializer(many=True, read_only=True)

    class Meta(StateElementSerializer.Meta):
        fields = [*StateElementSerializer.Meta.fields, "changes"]
        read_only_fields = fields


class ActSerializer(serializers.Serializer):
    act = serializers.ChoiceField(
        choices=list(ACTS),
        help_text="`answer` a question, `confirm` or `refuse` an assumption, `edit` a requirement, `withdraw` anything.",
    )
    words = serializers.CharField(
        required=False, allow_blank=True, default="", max_length=WORDS_LIMIT, help_text="For `answer` and `edit`."
    )


class OfSession(generics.ListAPIView):
    pagination_class = NewestFirst

    def session_id(self) -> int:
        reader = person(self.request.user)
        return found(lambda: selectors.sessions_of(reader).get(pk=self.kwargs["session_id"])).pk


@extend_schema_view(
    get=extend_schema(
        tags=TAGS, summary="List the elements of a session's state, newest first", parameters=[StateQuerySerializer]
    )
)
class StateElementList(OfSession):
    queryset = StateElementRecord.objects.none()
    serializer_class = StateElementSerializer

    def get_queryset(self) -> QuerySet[StateElementRecord]:
        rows = StateElementRecord.objects.filter(session=self.session_id())
        asked = valid(StateQuerySerializer(data=self.request.query_params))
        return rows if asked["status"] == "all" else rows.filter(status__in=CURRENT)


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="List the changes that a session's state refused, newest first")
)
class StateRefusalList(OfSession):
    queryset = StateChangeRecord.objects.none()
    serializer_class = StateRefusalSerializer

    def get_queryset(self) -> QuerySet[StateChangeRecord]:
        return StateChangeRecord.objects.filter(session=self.session_id(), element=None)


class StateElementDetail(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Read an element of a state, with its history",
        responses={200: StateElementDetailSerializer},
    )
    def get(self, request: Request, element_id: int) -> Response:
        row = found(lambda: state_element_of(person(request.user), element_id))
        return Response(StateElementDetailSerializer(row).data)

    @extend_schema(
        tags=TAGS,
        summary="Say something of an element",
        description="It counts as your own words. What it contradicts closes, with what rested on that.",
        request=ActSerializer,
        responses={200: StateElementDetailSerializer, 409: REFUSED},
    )
    def post(self, request: Request, element_id: int) -> Response:
        row = found(lambda: state_elements_of(person(request.user)).get(pk=element_id))
        given = valid(ActSerializer(data=request.data))
        with refusals():
            ACTS[given["act"]](row, given["words"], person(request.user))
        return self.get(request, element_id)
