"""Reads how the replies of real conversations were scored, a day and a way of answering: CS, DER and fact score.

Only conversations count: what was replayed or measured in a scratch space has none, and of chats that were
brought in only replies that somebody chose to be scored do. Two queries, whatever there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Avg, Count, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, TruncDate

from conversations.models import Reply
from evaluation.core.reply_facts.types import UNCHECKED, FactFigures, Verdict, figures_of
from evaluation.models import CheckState, FactCheck, FactRecord, ScoreState, TurnScore
from memory.core.types import EntailmentLabel
from memory.selectors import spaces_of

Place = tuple[date, str]


@dataclass(frozen=True)
class DayOfReplies:
    """The replies of one responder on one day. `unscored` had nothing to score, or nothing to score it with."""

    day: date
    responder: str
    consistency: float | None = None
    entailed: int = 0
    scored: int = 0
    unscored: int = 0
    facts: FactFigures = UNCHECKED

    @property
    def rate(self) -> float | None:
        return self.entailed / self.scored if self.scored else None


def days_of_replies(user: User, *, since: datetime, space_id: int | None = None) -> list[DayOfReplies]:
    """Return the days since a moment on which replies were scored or checked, in order, of the user's spaces or of one."""
    spaces = spaces_of(user) if space_id is None else spaces_of(user).filter(pk=space_id)
    scores, facts = scores_by_day(spaces, since), facts_by_day(spaces, since)
    return [
        DayOfReplies(*place, **scores.get(place, {}), facts=figures_of(facts.get(place, Counter()).elements()))
        if place in facts
        else DayOfReplies(*place, **scores[place])
        for place in sorted({*scores, *facts})
    ]


def scores_by_day(spaces: QuerySet[Any], since: datetime) -> Mapping[Place, dict[str, Any]]:
    ended = TurnScore.objects.filter(
        replied("turn", spaces, since),
        strategy=settings.DSMART_SCORE_STRATEGY,
        state__in=(ScoreState.SCORED, ScoreState.NOT_SCORED),
    )
    latest = ended.order_by("turn_id", "-scored_at", "-pk").distinct("turn_id").values("pk")
    is_scored = Q(state=ScoreState.SCORED)
    rows = (
        TurnScore.objects.filter(pk__in=latest)
        .annotate(day=TruncDate("turn__said_at"), responder=responder_of("turn__round"))
        .order_by()
        .values("day", "responder")
        .annotate(
            mean=Avg((F("entailment") - F("contradiction") + 1) / 2, filter=is_scored),
            entailed=Count("pk", filter=is_scored & Q(label=EntailmentLabel.ENTAILMENT)),
            scored=Count("pk", filter=is_scored),
            unscored=Count("pk", filter=~is_scored),
        )
    )
    return {
        (row["day"], row["responder"]): {
            "consistency": row["mean"], "entailed": row["entailed"], "scored": row["scored"], "unscored": row["unscored"],
        }
        for row in rows
    }  # fmt: skip


def facts_by_day(spaces: QuerySet[Any], since: datetime) -> Mapping[Place, Counter[str]]:
    checks = FactCheck.objects.filter(replied("turn", spaces, since), state=CheckState.CHECKED)
    latest = checks.order_by("turn_id", "-checked_at", "-pk").distinct("turn_id").values("pk")
    rows: Iterable[Any] = (
        FactRecord.objects.filter(check_of__in=latest)
        .annotate(day=TruncDate("check_of__turn__said_at"), responder=responder_of("check_of__turn__round"))
        .order_by()
        .values("day", "responder")
        .annotate(**{verdict.value: Count("pk", filter=Q(verdict=verdict)) for verdict in Verdict})
    )
    return {
        (row["day"], row["responder"]): Counter({verdict.value: row[verdict.value] for verdict in Verdict})
        for row in rows
    }


def replied(turn: str, spaces: QuerySet[Any], since: datetime) -> Q:
    """Return the condition on rows about replies of conversations over some spaces since a moment.

    Replies are those of the product, and those of a speaker whose turns somebody chose to be counted.
    """
    is_reply = Q(**{f"{turn}__is_generated": True}) | Q(**{f"{turn}__speaker": F(f"{turn}__session__replies_by")})
    return is_reply & Q(
        **{
            "space__in": spaces.order_by().values("pk"),
            f"{turn}__said_at__gte": since,
            f"{turn}__session__conversation__isnull": False,
        }
    )


def responder_of(round: str) -> Coalesce:
    """Return an annotation: who wrote the reply; "" for one that was brought in with its conversation."""
    replies = Reply.objects.filter(round=OuterRef(round), is_current=True)
    return Coalesce(Subquery(replies.values("responder")[:1]), Value(""))
