"""Reads what replies state: the check of a turn that counts, its facts, and what they were held against."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import JSONObject

from conversations.models import Reply
from conversations.models.reply import turn_key
from evaluation.core.reply_facts.types import Verdict
from evaluation.models import CheckState, FactCheck, FactRecord
from memory.models import Space, Turn


def turn_of(reply: Reply) -> Turn | None:
    """Return the turn that a reply became."""
    return Turn.objects.filter(round=reply.round_id, key=turn_key(reply.pk)).defer("search").first()


def reply_check(turn: Turn) -> FactCheck | None:
    """Return the check of a turn that counts, with facts and grounds: the latest that ended, else the queued one."""
    is_promised = Case(When(state=CheckState.PENDING, then=1), default=0, output_field=IntegerField())
    found = FactCheck.objects.filter(turn=turn).order_by(is_promised, F("checked_at").desc(nulls_last=True), "-pk")
    return found.prefetch_related("facts__ground__turn", "grounds").first()


def verdicts_in(space: Space, conversation_id: int | None = None) -> QuerySet[FactRecord, Any]:
    """Return the verdicts on the facts of all replies of a space, or of one of its conversations, by their latest checks."""
    return facts_in(space, conversation_id).values_list("verdict", flat=True)


def facts_in(space: Space, conversation_id: int | None = None) -> QuerySet[FactRecord]:
    """Return the facts of all replies of a space, or of one of its conversations, as their latest checks have them."""
    checks = FactCheck.objects.filter(space=space, turn__is_aside=False, state=CheckState.CHECKED)
    if conversation_id is not None:
        checks = checks.filter(turn__session__conversation=conversation_id)
    latest = checks.order_by("turn_id", "-checked_at", "-pk").distinct("turn_id")
    return FactRecord.objects.filter(check_of__in=latest.values("pk"))


def checked_figures() -> Subquery:
    """Return an annotation of rounds: the number of the reply's facts by verdict, of its latest check."""
    latest = FactCheck.objects.filter(turn__round=OuterRef(OuterRef("pk")), state=CheckState.CHECKED)
    facts: QuerySet[FactRecord, Any] = FactRecord.objects.filter(
        check_of=Subquery(latest.order_by("-checked_at", "-pk").values("pk")[:1])
    )
    counts = {verdict.value: Count("pk", filter=Q(verdict=verdict)) for verdict in Verdict}
    return Subquery(facts.order_by().values("check_of").annotate(found=JSONObject(**counts)).values("found"))
