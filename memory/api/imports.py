"""Imports in the background: what became of each, stopping it and going on."""

from collections.abc import Callable

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.serializers import ProblemSerializer
from memory.api.sessions import Conflicting
from memory.api.tenancy import found
from memory.models import ImportJobRecord
from memory.selectors.owned import import_jobs_of
from memory.services.accounts import person
from memory.services.import_jobs import job_delete, job_go_on, job_stop

TAGS = ["imports"]


class ImportJobSerializer(serializers.ModelSerializer):
    class Meta:
        model = ImportJobRecord
        fields = [
            *("id", "space", "kind", "name", "form", "state", "progress", "preview", "choices", "outcome", "error"),
            "created_at",
        ]
        read_only_fields = fields


@extend_schema_view(get=extend_schema(tags=TAGS, summary="List your imports, newest first"))
class ImportList(generics.ListAPIView):
    queryset = ImportJobRecord.objects.none()
    serializer_class = ImportJobSerializer

    def get_queryset(self) -> QuerySet[ImportJobRecord]:
        return import_jobs_of(person(self.request.user))


def job_of(request: Request, job_id: int) -> ImportJobRecord:
    return found(lambda: import_jobs_of(person(request.user)).get(pk=job_id))


@extend_schema_view(
    get=extend_schema(tags=TAGS, summary="Read how far an import is, or what is in its file"),
    delete=extend_schema(tags=TAGS, summary="Stop an import and delete its file; what was brought in stays"),
)
class ImportDetail(generics.RetrieveDestroyAPIView):
    queryset = ImportJobRecord.objects.none()
    serializer_class = ImportJobSerializer

    def get_object(self) -> ImportJobRecord:
        return job_of(self.request, self.kwargs["job_id"])

    def perform_destroy(self, instance: ImportJobRecord) -> None:
        job_delete(job=instance)


def acted(request: Request, job_id: int, act: Callable[..., bool], refusal: str) -> Response:
    """Act on a job and answer with what it is then. Raises 409 with the refusal where the act finds nothing to do."""
    job = job_of(request, job_id)
    if not act(job=job):
        raise Conflicting(refusal)
    job.refresh_from_db()
    return Response(ImportJobSerializer(job).data)


ANSWERS = {200: ImportJobSerializer, 409: OpenApiResponse(ProblemSerializer, "It is past that.")}


class ImportStop(APIView):
    @extend_schema(tags=TAGS, summary="Stop an import; what was brought in stays", request=None, responses=ANSWERS)
    def post(self, request: Request, job_id: int) -> Response:
        return acted(request, job_id, job_stop, "This import had ended already.")


class ImportGoOn(APIView):
    @extend_schema(
        tags=TAGS, summary="Go on with an import that was stopped or failed", request=None, responses=ANSWERS
    )
    def post(self, request: Request, job_id: int) -> Response:
        return acted(request, job_id, job_go_on, "This import goes on already, or is done.")
