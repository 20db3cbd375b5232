"""Reads the scores of a session's turns: one a turn, by the configured strategy, with the running DER.

Of several models' scores of a turn the latest counts. Every read takes a fixed number of queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.conf import settings
from django.db.models import Avg, Case, Count, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Substr

from evaluation.core.turn_consistency.types import (
    EntailmentRate,
    consistency_score,
    rate_of,
    running_entailment_rates,
)
from evaluation.models import ScoreState, TurnScore
from memory.core.types import EntailmentLabel, EntailmentVerdict
from memory.models import IS_REPLY, Session, Turn

NOT_ASKED = "Nobody has asked for a score of this turn yet. `manage.py score_turns` does."


class ScoreStanding(StrEnum):
    """The state of a turn's score. `NOT_ASKED`: the turn was said while scoring was off, or before the product had it."""

    SCORED = "scored"
    NOT_SCORED = "not_scored"
    PENDING = "pending"
    NOT_ASKED = "not_asked"


@dataclass(frozen=True)
class DecidingSentence:
    """The text of a sentence, [start, end) in its turn."""

    turn: int
    start: int
    end: int
    text: str


class WithVerdict:
    """Figures that follow from a verdict; None without one."""

    verdict: EntailmentVerdict | None

    @property
    def label(self) -> EntailmentLabel | None:
        return self.verdict.label if self.verdict is not None else None

    @property
    def consistency(self) -> float | None:
        return consistency_score(self.verdict) if self.verdict is not None else None


@dataclass(frozen=True)
class TurnScoreView(WithVerdict):
    """An assistant's turn with its score, if any, and DER over the session's turns up to it."""

    turn_id: int
    turn_index: int
    round_id: int
    state: ScoreStanding
    verdict: EntailmentVerdict | None
    running: EntailmentRate
    premise: DecidingSentence | None
    hypothesis: DecidingSentence | None
    reason: str | None
    why: str
    model: str
    strategy: str
    milliseconds: int | None


@dataclass(frozen=True)
class SessionFigures:
    """Mean CS and DER of a session. `turns` counts the replies, scored or not."""

    consistency: float | None
    rate: EntailmentRate
    turns: int


def session_scores(session: Session, *, after: int = -1, limit: int = 200) -> list[TurnScoreView]:
    """Return at most `limit` replies with an index above `after`, in order, each with its score."""
    turns = list(
        Turn.objects.filter(IS_REPLY, session=session, index__gt=after)
        .order_by("index")
        .values_list("pk", "index", "round_id")[:limit]
    )
    rows = {row.turn_id: row for row in with_words(present_scores(session)).filter(turn__in=[pk for pk, *_ in turns])}
    verdicts = [verdict_of(rows.get(pk)) for pk, *_ in turns]
    before = counts_before(session, after) if after >= 0 else EntailmentCounts(0, 0)
    running = running_entailment_rates(
        (verdict.label if verdict is not None else None for verdict in verdicts),
        entailed=before.entailed,
        scored=before.scored,
    )
    return [
        view(turn, rows.get(turn[0]), verdict, rate)
        for turn, verdict, rate in zip(turns, verdicts, running, strict=True)
    ]


def session_figures(session: Session) -> SessionFigures:
    """Return the figures of a whole session in two queries."""
    scored = TurnScore.objects.filter(pk__in=present_scores(session).values("pk"), state=ScoreState.SCORED)
    found = scored.aggregate(
        mean=Avg((F("entailment") - F("contradiction") + 1) / 2),
        entailed=Count("pk", filter=Q(label=EntailmentLabel.ENTAILMENT)),
        scored=Count("pk"),
    )
    turns = Turn.objects.filter(IS_REPLY, session=session).count()
    return SessionFigures(found["mean"], rate_of(found["entailed"], found["scored"]), turns)


@dataclass(frozen=True)
class EntailmentCounts:
    entailed: int
    scored: int


def counts_before(session: Session, index: int) -> EntailmentCounts:
    """Return the numbers of scored and of entailed turns with an index up to `index`."""
    rows = present_scores(session).filter(turn__index__lte=index)
    return EntailmentCounts(
        **TurnScore.objects.filter(pk__in=rows.values("pk"), state=ScoreState.SCORED).aggregate(
            entailed=Count("pk", filter=Q(label=EntailmentLabel.ENTAILMENT)), scored=Count("pk")
        )
    )


def present_scores(session: Session) -> QuerySet[TurnScore]:
    """Return one row a turn by the configured strategy: the latest finished one, else the queued one."""
    is_promised = Case(When(state=ScoreState.PENDING, then=1), default=0, output_field=IntegerField())
    rows = TurnScore.objects.filter(session=session, turn__is_aside=False, strategy=settings.DSMART_SCORE_STRATEGY)
    return rows.order_by("turn_id", is_promised, "-scored_at", "-pk").distinct("turn_id")


def with_words(rows: QuerySet[TurnScore]) -> QuerySet[TurnScore]:
    """Add the texts of the two deciding sentences, cut out by the database because turns may be long."""
    return rows.annotate(
        premise_text=words("premise_turn__text", "premise"), hypothesis_text=words("turn__text", "hypothesis")
    )


def words(text: str, name: str) -> Substr:
    return Substr(text, F(f"{name}_start") + Value(1), F(f"{name}_end") - F(f"{name}_start"))


def verdict_of(row: TurnScore | None) -> EntailmentVerdict | None:
    if row is None or row.entailment is None or row.neutral is None or row.contradiction is None:
        return None
    return EntailmentVerdict(row.entailment, row.neutral, row.contradiction)


def view(
    turn: tuple[int, int, int], row: TurnScore | None, verdict: EntailmentVerdict | None, running: EntailmentRate
) -> TurnScoreView:
    turn_id, index, round_id = turn
    if row is None:
        return TurnScoreView(
            turn_id=turn_id,
            turn_index=index,
            round_id=round_id,
            state=ScoreStanding.NOT_ASKED,
            verdict=None,
            running=running,
            premise=None,
            hypothesis=None,
            reason=None,
            why=NOT_ASKED,
            model="",
            strategy="",
            milliseconds=None,
        )
    return TurnScoreView(
        turn_id=turn_id,
        turn_index=index,
        round_id=round_id,
        state=ScoreStanding(row.state),
        verdict=verdict,
        running=running,
        premise=deciding(row.premise_turn_id, row.premise_start, row.premise_end, getattr(row, "premise_text", "")),
        hypothesis=deciding(turn_id, row.hypothesis_start, row.hypothesis_end, getattr(row, "hypothesis_text", "")),
        reason=row.reason or None,
        why=row.why,
        model=row.model,
        strategy=row.strategy,
        milliseconds=row.milliseconds,
    )


def deciding(turn_id: int | None, start: int | None, end: int | None, text: str | None) -> DecidingSentence | None:
    if turn_id is None or start is None or end is None or text is None:
        return None
    return DecidingSentence(turn_id, start, end, text)
