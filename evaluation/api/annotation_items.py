"""Items of annotation projects: answers to them, what a person may know of them, skips and settlements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from django.core.exceptions import PermissionDenied as RoleRefused
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.api.annotation_serializers import (
    AnnotationItemSerializer,
    AnswerInSerializer,
    AnswerSerializer,
    GivenItemSerializer,
    SettlementInSerializer,
    SettlementSerializer,
    SkipInSerializer,
)
from evaluation.core.annotation.answers import answer_read
from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.errors import AnnotationRefused
from evaluation.models import Annotation, AnnotationItem
from evaluation.selectors.annotation.items import item_seen
from evaluation.selectors.annotation.projects import items_of, projects_of
from evaluation.selectors.annotation.roles import role_in
from evaluation.services.annotation.adjudication import item_settle
from evaluation.services.annotation.answers import answer_reveal, answer_store, answer_undo
from evaluation.services.annotation.queue import item_skip
from memory.api.sessions import Conflicting
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.services.accounts import person

TAGS = ["annotation"]


@contextmanager
def refusals() -> Iterator[None]:
    """Answer 409 with the reason where annotation refuses, 404 where a row went away meanwhile, and 403 where a role refuses.

    Its `code` tells this 403 from that of a page whose session is not the one that it was opened in.
    """
    try:
        yield
    except AnnotationRefused as refusal:
        raise Conflicting(str(refusal)) from refusal
    except RoleRefused as refusal:
        raise PermissionDenied({"detail": str(refusal), "code": "role"}) from refusal
    except ObjectDoesNotExist as gone:
        raise NotFound from gone


class AnnotatedView(APIView):
    def item(self) -> AnnotationItem:
        return found(lambda: items_of(person(self.request.user)).get(pk=self.kwargs["annotated_id"]))


def answer_check(item: AnnotationItem, answer: object) -> None:
    """Answer 400 where this answers nothing that the item's kind asks."""
    try:
        answer_read(kind_named(item.project.kind), answer)
    except AnnotationRefused as refusal:
        raise ValidationError({"detail": str(refusal)}) from refusal


class AnnotatedDetail(AnnotatedView):
    @extend_schema(
        tags=TAGS,
        summary="Read an item, and what you may know of it",
        description="What others, the machine and a gold answer say is told once your own answer is stored, which you cannot "
        "take back from then on; of an item that is not open it is told to whoever may read results.",
        responses=AnnotationItemSerializer,
    )
    def get(self, request: Request, annotated_id: int) -> Response:
        item, user = self.item(), person(request.user)
        seen = item_seen(item, user, role_in(item.project.space_id, user))
        if seen.own is not None:
            answer_reveal(annotation=seen.own)
        shown = {
            "item": item,
            "standing": item.standing if seen.is_open_to else None,
            "why": item.why if seen.is_open_to else "",
            "seen": seen,
        }
        return Response(AnnotationItemSerializer(shown).data)


class AnnotatedAnswers(AnnotatedView):
    @extend_schema(
        tags=TAGS,
        summary="Answer an item; an answer that is sent twice is stored once",
        request=AnswerInSerializer,
        responses={201: AnswerSerializer},
    )
    def post(self, request: Request, annotated_id: int) -> Response:
        item, user = self.item(), person(request.user)
        given = valid(AnswerInSerializer(data=request.data))
        answer_check(item, given["answer"])
        with refusals():
            stored = answer_store(item=item, user=user, **given)
        return Response(AnswerSerializer(stored).data, status=status.HTTP_201_CREATED)


class AnnotatedSkip(AnnotatedView):
    @extend_schema(
        tags=TAGS,
        summary="Pass over an item with a reason; it comes back at the end",
        request=SkipInSerializer,
        responses={204: None},
    )
    def post(self, request: Request, annotated_id: int) -> Response:
        item, user = self.item(), person(request.user)
        given = valid(SkipInSerializer(data=request.data))
        with refusals():
            item_skip(item=item, user=user, **given)
        return Response(status=status.HTTP_204_NO_CONTENT)


class AnnotatedSettlement(AnnotatedView):
    @extend_schema(
        tags=TAGS,
        summary="Settle what people disagree about, with a reason that is kept",
        request=SettlementInSerializer,
        responses={201: SettlementSerializer},
    )
    def post(self, request: Request, annotated_id: int) -> Response:
        item, user = self.item(), person(request.user)
        given = valid(SettlementInSerializer(data=request.data))
        answer_check(item, given["answer"])
        with refusals():
            made = item_settle(item=item, by=user, **given)
        return Response(SettlementSerializer(made).data, status=status.HTTP_201_CREATED)


class AnnotationAnswer(APIView):
    @extend_schema(
        tags=TAGS,
        summary="Take your answer back for ten minutes, as long as you do not know what others said",
        responses=GivenItemSerializer,
    )
    def delete(self, request: Request, annotation_id: int) -> Response:
        user = person(request.user)
        mine = Annotation.objects.filter(by=user, item__project__in=projects_of(user).order_by())
        annotation = found(lambda: mine.get(pk=annotation_id))
        with refusals():
            lease = answer_undo(annotation=annotation, user=user)
        return Response(GivenItemSerializer(lease).data)
