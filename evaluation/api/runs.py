"""Runs, their items, and people's scores of them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.api.run_serializers import (
    ItemDetailSerializer,
    ItemsQuerySerializer,
    ItemsSerializer,
    OverrideInSerializer,
    RunDetailSerializer,
    RunSerializer,
    RunsQuerySerializer,
)
from evaluation.core.errors import OverrideRefused
from evaluation.models import EvaluationRun, RunItem
from evaluation.selectors.run_items import ItemsAsked, Standing, items_of, items_page, scores_shown, with_scores
from evaluation.selectors.run_list import RunsAsked, asked_for
from evaluation.selectors.run_metrics import metrics_of
from evaluation.selectors.runs import run_progress, runs_of
from evaluation.services.overrides import override_take_back, score_override
from evaluation.services.run_figures import run_figures
from evaluation.views.runs.export import FORMS, export_response
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.services.accounts import person

TAGS = ["runs"]


class RunList(generics.ListAPIView):
    queryset = EvaluationRun.objects.none()
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet[EvaluationRun]:
        asked = RunsAsked(**valid(RunsQuerySerializer(data=self.request.query_params)))
        return runs_of(person(self.request.user)).filter(asked_for(asked)).select_related("created_by")

    @extend_schema(tags=TAGS, summary="List the runs of your spaces, newest first", parameters=[RunsQuerySerializer])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class RunView(APIView):
    """What all addresses below one run share: it is of one of the user's spaces, or it is not found."""

    def run(self) -> EvaluationRun:
        runs = runs_of(person(self.request.user)).select_related("created_by")
        return found(lambda: runs.get(pk=self.kwargs["run_id"]))


class RunDetail(RunView):
    @extend_schema(
        tags=TAGS, summary="Read a run: its identity, how far it is, its figures", responses=RunDetailSerializer
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = self.run()
        run.progress, run.figures = run_progress(run), run_figures(run)
        return Response(RunDetailSerializer(run).data)


class RunItemList(RunView):
    @extend_schema(
        tags=TAGS,
        summary="Read the items of a run, in order",
        parameters=[ItemsQuerySerializer],
        responses=ItemsSerializer,
    )
    def get(self, request: Request, run_id: int) -> Response:
        run = self.run()
        asked = valid(ItemsQuerySerializer(data=request.query_params))
        after, standing = asked.pop("after"), asked.pop("standing")
        metric = asked.pop("metric") or next(iter(metrics_of([run])), "")
        page, last = items_page(
            run, ItemsAsked(metric=metric, standing=standing and Standing(standing), **asked), after=after
        )
        return Response(ItemsSerializer({"next": last, "results": [told(item) for item in page]}).data)


class RunExport(RunView):
    @extend_schema(
        tags=TAGS,
        summary="Take a run out: its figures (json), its items (jsonl, csv)",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, run_id: int, form: str) -> Any:
        if form not in FORMS:
            raise NotFound
        return export_response(self.run(), form)


class ItemView(APIView):
    def item(self) -> RunItem:
        items = with_scores(items_of(person(self.request.user)))
        return found(lambda: items.get(pk=self.kwargs["item_id"]))


class ItemDetail(ItemView):
    @extend_schema(
        tags=TAGS,
        summary="Read an item: question, reply, passages, trace, scores with every override",
        responses=ItemDetailSerializer,
    )
    def get(self, request: Request, item_id: int) -> Response:
        return Response(ItemDetailSerializer(told(self.item())).data)


class ItemOverride(ItemView):
    @extend_schema(
        tags=TAGS,
        summary="Let your score count in place of a measured one, or take it back",
        request=OverrideInSerializer,
        responses={201: ItemDetailSerializer},
    )
    def post(self, request: Request, item_id: int) -> Response:
        item, by = self.item(), person(request.user)
        given = valid(OverrideInSerializer(data=request.data))
        try:
            if given["value"] is None:
                override_take_back(item=item, metric=given["metric"], comment=given["comment"], by=by)
            else:
                score_override(item=item, by=by, **given)
        except OverrideRefused as refusal:
            raise ValidationError({"value": [str(refusal)]}) from refusal
        return Response(ItemDetailSerializer(told(self.item())).data, status=status.HTTP_201_CREATED)


def told(item: RunItem) -> RunItem:
    """Return an item that was read `with_scores`, with its scores as its form takes them."""
    item.shown = scores_shown(item)
    return item
