"""The scores of a session's turns."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation import selectors
from evaluation.api.serializers import ScoresQuerySerializer, SessionScoresSerializer
from evaluation.core.errors import UnknownName
from evaluation.services.score_promises import replies_choose
from memory.api.serializers import ProblemSerializer
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.models import Session
from memory.selectors import sessions_of
from memory.services.accounts import person


def session_in(request: Request, session_id: int) -> Session:
    return found(lambda: sessions_of(person(request.user)).get(pk=session_id))


class RepliesBySerializer(serializers.Serializer):
    speaker = serializers.CharField(
        max_length=120,
        allow_blank=True,
        help_text=f"Whose turns are replies: a speaker, empty for the assistant, {Session.NOBODY!r} for nobody.",
    )


class SessionReplies(APIView):
    @extend_schema(
        tags=["scores"],
        summary="Choose whose turns count as a session's replies",
        description="Their scores are computed in the background; those of turns that are no replies any more are deleted.",
        request=RepliesBySerializer,
        responses={204: None, 400: OpenApiResponse(ProblemSerializer, "Nobody of that name says anything in it.")},
    )
    def put(self, request: Request, session_id: int) -> Response:
        session = session_in(request, session_id)
        asked = valid(RepliesBySerializer(data=request.data))
        try:
            replies_choose(session=session, speaker=asked["speaker"])
        except UnknownName as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


class SessionScores(APIView):
    @extend_schema(
        tags=["scores"],
        summary="Read how consistent the replies of a session are",
        description="CS and DER of D-SMART (Equations 4 and 5), by the configured strategy. A conversation's session is "
        "named in the conversation.",
        parameters=[ScoresQuerySerializer],
        responses=SessionScoresSerializer,
    )
    def get(self, request: Request, session_id: int) -> Response:
        session = session_in(request, session_id)
        asked = valid(ScoresQuerySerializer(data=request.query_params))
        page = selectors.session_scores(session, **asked)
        figures = selectors.session_figures(session)
        is_full = len(page) == asked["limit"]
        shown = {
            "consistency": figures.consistency,
            "rate": figures.rate,
            "turns": figures.turns,
            "next": page[-1].turn_index if is_full else None,
            "results": page,
        }
        return Response(SessionScoresSerializer(shown).data)
