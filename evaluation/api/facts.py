"""What a reply states, fact by fact."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from conversations.selectors import reply_of
from evaluation.api.serializers import ReplyFactsSerializer
from evaluation.core.reply_facts.types import UNCHECKED, figures_of
from evaluation.models import CheckState
from evaluation.selectors.facts import reply_check, turn_of
from memory.api.tenancy import found
from memory.services.accounts import person


class ReplyFacts(APIView):
    @extend_schema(
        tags=["scores"],
        summary="Read what a reply states, and what each statement was held against",
        description="Atomic facts, verdicts, Dialogue Fact Score and NEIP of TG-/GA-DRG (section 3.4). They are there where "
        "the conversation asks for checks (`checks_facts`), or `manage.py check_facts` was run.",
        responses=ReplyFactsSerializer,
    )
    def get(self, request: Request, reply_id: int) -> Response:
        reply = found(lambda: reply_of(person(request.user), reply_id))
        turn = turn_of(reply)
        check = reply_check(turn) if turn is not None else None
        facts = check.facts.all() if check is not None else []
        is_checked = check is not None and check.state == CheckState.CHECKED
        shown = {
            "reply": reply.pk,
            "turn": turn.pk if turn is not None else None,
            "check": check,
            "figures": figures_of(fact.verdict for fact in facts) if is_checked else UNCHECKED,
            "facts": facts,
            "grounds": check.grounds.all() if check is not None else [],
        }
        return Response(ReplyFactsSerializer(shown).data)
