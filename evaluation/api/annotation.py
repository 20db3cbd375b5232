"""Annotation projects and their items. What nobody may know before their own label is stored is in no answer before."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.api.annotation_items import TAGS, refusals
from evaluation.api.annotation_serializers import (
    AgreementSerializer,
    AnnotationProjectSerializer,
    DisputesQuerySerializer,
    DisputesSerializer,
    GivenItemSerializer,
    ProjectDetailSerializer,
    ProjectInSerializer,
    TakeSerializer,
)
from evaluation.core.annotation.agreement import project_agreement
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused, UnknownName
from evaluation.models import AnnotationProject
from evaluation.selectors.annotation.agreement import patterns_counted
from evaluation.selectors.annotation.items import disputes_of, sides_of
from evaluation.selectors.annotation.progress import own_progress, people_progress, project_progress
from evaluation.selectors.annotation.projects import guideline_of, projects_of, review_spaces_of
from evaluation.selectors.annotation.roles import may, role_in, role_required
from evaluation.services.annotation.files.writing import project_export
from evaluation.services.annotation.projects import project_make
from evaluation.services.annotation.queue import items_take
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.services.accounts import person
from memory.views.downloads import download, numbered

DISPUTES = 50
FORMS = {"jsonl": "application/jsonl; charset=utf-8", "csv": "text/csv; charset=utf-8"}
EXPORTED = {(200, "application/octet-stream"): OpenApiTypes.BINARY}


class AnnotationProjectList(generics.ListAPIView):
    queryset = AnnotationProject.objects.none()
    serializer_class = AnnotationProjectSerializer

    def get_queryset(self) -> QuerySet[AnnotationProject]:
        return projects_of(person(self.request.user)).select_related("created_by")

    @extend_schema(tags=TAGS, summary="List the annotation projects of your teams, newest first")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        tags=TAGS,
        summary="Make an annotation project, without items yet",
        request=ProjectInSerializer,
        responses={201: AnnotationProjectSerializer},
    )
    def post(self, request: Request) -> Response:
        user = person(request.user)
        given = valid(ProjectInSerializer(data=request.data))
        space = found(lambda: review_spaces_of(user).get(pk=given.pop("space")))
        try:
            made = project_make(space=space, by=user, **given)
        except (AnnotationRefused, UnknownName) as refusal:
            raise ValidationError({"detail": str(refusal)}) from refusal
        return Response(AnnotationProjectSerializer(made).data, status=status.HTTP_201_CREATED)


class ProjectView(APIView):
    def project(self) -> AnnotationProject:
        projects = projects_of(person(self.request.user)).select_related("created_by")
        return found(lambda: projects.get(pk=self.kwargs["project_id"]))


class AnnotationProjectDetail(ProjectView):
    @extend_schema(
        tags=TAGS,
        summary="Read a project: its guideline, what it asks, your role, and how far you and it are",
        responses=ProjectDetailSerializer,
    )
    def get(self, request: Request, project_id: int) -> Response:
        project, user = self.project(), person(request.user)
        role = role_in(project.space_id, user)
        project.role, project.guideline = role, guideline_of(project)
        project.definition = asdict(kind_named(project.kind))
        project.own = own_progress(project, user) if may(role, "label") else None
        # A count of disputes would tell an annotator whether their last label made one.
        project.progress = project_progress(project) if may(role, "read") else None
        project.people = people_progress(project) if may(role, "curate") else []
        return Response(ProjectDetailSerializer(project).data)


class AnnotationTake(ProjectView):
    @extend_schema(
        tags=TAGS,
        summary="Take your next items: those that you hold first, kept for you until they expire",
        request=TakeSerializer,
        responses=GivenItemSerializer(many=True),
    )
    def post(self, request: Request, project_id: int) -> Response:
        project, user = self.project(), person(request.user)
        given = valid(TakeSerializer(data=request.data))
        with refusals():
            leases = items_take(project=project, user=user, **given)
        return Response(GivenItemSerializer(leases, many=True).data)


class AnnotationDisputes(ProjectView):
    @extend_schema(
        tags=TAGS,
        summary="Read what people disagree about and you did not label, without names",
        parameters=[DisputesQuerySerializer],
        responses=DisputesSerializer,
    )
    def get(self, request: Request, project_id: int) -> Response:
        project, user = self.project(), person(request.user)
        role_required(project.space_id, user, "curate")
        after = valid(DisputesQuerySerializer(data=request.query_params))["after"]
        disputes = disputes_of(project, user)
        page = list((disputes if after is None else disputes.filter(place__gt=after))[:DISPUTES])
        shown = {
            "next": page[-1].place if len(page) == DISPUTES else None,
            "results": [{"item": item, "sides": sides_of(item, item.live)} for item in page],
        }
        return Response(DisputesSerializer(shown).data)


class AnnotationAgreement(ProjectView):
    @extend_schema(
        tags=TAGS,
        summary="Read how far people agree, with one another and with the machine, on items that are not open",
        responses=AgreementSerializer,
    )
    def get(self, request: Request, project_id: int) -> Response:
        project = self.project()
        role_required(project.space_id, person(request.user), "read")
        told = project_agreement(kind_named(project.kind), patterns_counted(project))
        return Response(AgreementSerializer(told).data)


class AnnotationExport(ProjectView):
    @extend_schema(
        tags=TAGS, summary="Take out what people ended with: items that are agreed or settled", responses=EXPORTED
    )
    def get(self, request: Request, project_id: int, form: str) -> HttpResponseBase:
        return self.exported(request, form, is_full=False)

    @extend_schema(
        tags=TAGS,
        summary="Take everything out, labels of open items too: you label nothing more in the project",
        request=None,
        responses=EXPORTED,
    )
    def post(self, request: Request, project_id: int, form: str) -> HttpResponseBase:
        return self.exported(request, form, is_full=True)

    def exported(self, request: Request, form: str, *, is_full: bool) -> HttpResponseBase:
        project = self.project()
        if form not in FORMS:
            raise NotFound
        with refusals():
            written = project_export(project=project, by=person(request.user), form=form, is_full=is_full)
        name = numbered(project.name or "project", project.pk)
        return download(written, media_type=FORMS[form], name=name, suffix=form)
