"""The scores of a session's turns."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation import selectors
from evaluation.api.serializers import ScoresQuerySerializer, SessionScoresSerializer
from memory.api.tenancy import found
from memory.api.validation import valid
from memory.selectors import sessions_of
from memory.services.accounts import person


class SessionScores(APIView):
    @extend_schema(
        tags=["scores"],
        summary="Read how consistent the assistant's turns of a session are",
        description="CS and DER of D-SMART (Equations 4 and 5), by the configured strategy. A conversation's session is "
        "named in the conversation.",
        parameters=[ScoresQuerySerializer],
        responses=SessionScoresSerializer,
    )
    def get(self, request: Request, session_id: int) -> Response:
        session = found(lambda: sessions_of(person(request.user)).get(pk=session_id))
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
