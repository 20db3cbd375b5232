"""Reads the timeline of a session: a page of its rounds with what each changed, and the scores of all its replies.

Reads are bounded: a page has a fixed range of rounds, and a line has the newest `LINE` replies; earlier ones are only
counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Avg, Case, Count, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.fields.json import JSONField
from django.db.models.functions import Coalesce, JSONObject, Left, Length

from conversations.models import Reply
from evaluation.core.reply_facts.types import FactFigures, figures_of
from evaluation.core.turn_consistency.types import EntailmentRate, consistency_score, rate_of, running_entailment_rates
from evaluation.models import ScoreState, TurnScore
from evaluation.selectors.facts import checked_figures
from evaluation.selectors.scores import (
    ScoreStanding,
    TurnScoreView,
    WithVerdict,
    present_scores,
    session_scores,
    verdict_of,
    view,
    with_words,
)
from memory.core.types import EntailmentLabel, EntailmentVerdict, Modality, Role
from memory.models import IS_REPLY, HeldFragmentRecord, Round, SentenceRecord, Session, Space, TripleRecord, Turn
from memory.selectors.tracing import maintenance_use, model_use

DIALOGUES = 30
LINE = 2_000
FIRST_WORDS = 240


@dataclass(frozen=True)
class LinePoint(WithVerdict):
    """One reply on the line. `place` counts the session's replies from 1, `number` its rounds."""

    place: int
    turn_id: int
    turn_index: int
    round_id: int
    number: int
    score_id: int | None
    state: ScoreStanding
    verdict: EntailmentVerdict | None
    running: EntailmentRate


@dataclass(frozen=True)
class ReplyLine:
    """The replies of a session up to a turn, oldest first, with the figures of all of them.

    `points` are at most the newest `LINE`; `turns` counts all replies. `readers` are the models, each with its strategy.
    """

    points: tuple[LinePoint, ...]
    consistency: float | None
    rate: EntailmentRate
    turns: int
    readers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Words:
    """The first words of a turn; `sentence_id` is its first sentence, where memory has segmented it."""

    turn_id: int
    role: Role
    speaker: str
    text: str
    is_cut: bool
    said_at: datetime
    sentence_id: int | None


@dataclass(frozen=True)
class ReplySummary:
    """The state and times of the reply that the product wrote."""

    id: int
    state: str
    error: str
    first_token_ms: int | None
    total_ms: int | None


@dataclass(frozen=True)
class TimelineRound:
    """A round with what it changed, and how many statements of its reply are supported where they were checked.

    `before` is the last turn before it in the space, for the difference of the two.
    """

    round: Round
    said: tuple[Words, ...]
    answer: ReplySummary | None
    added: int
    superseded: int
    held: int
    before: int | None
    facts: FactFigures | None = None


@dataclass(frozen=True)
class ReplyScore:
    """A reply's score, with the ids of the deciding sentences where memory has them."""

    score: TurnScoreView
    premise_id: int | None
    hypothesis_id: int | None


def dialogues_in(space: Space) -> QuerySet[Session]:
    """Return the newest remembered sessions of a space, at most a fixed number."""
    found = Session.objects.filter(space=space, is_remembered=True).select_related("conversation")
    return found.order_by("-started_at", "-pk")[:DIALOGUES]


def dialogue_in(space: Space, *, session_id: int | None, at: Turn | None) -> Session | None:
    """Return a remembered session of the space, without an id the one with the latest turn up to `at`; else None.

    Its `last` is the index of its last round up to the turn, None where it has none.
    """
    upto = Q() if at is None else Q(pk__lte=at.round_id)
    if session_id is None:
        newest = Round.objects.filter(upto, space=space, session__is_remembered=True).order_by("-pk").first()
        if newest is None:
            return None
        session_id = newest.session_id
    rounds = Round.objects.filter(upto, session=OuterRef("pk")).order_by("-index")
    dialogues = Session.objects.filter(space=space, is_remembered=True).select_related("conversation")
    return dialogues.annotate(last=Subquery(rounds.values("index")[:1])).filter(pk=session_id).first()


def last_index(session: Session) -> int:
    """Return the index of a session's last round, counted from 0."""
    return Round.objects.filter(session=session).order_by("-index").values_list("index", flat=True)[0]


def round_scores(round: Round) -> list[TurnScoreView]:
    """Return the scores of a round's replies, in order."""
    turns = Turn.objects.filter(IS_REPLY, round=round).order_by("index").values_list("index", flat=True)
    indices = list(turns)
    return session_scores(round.session, after=indices[0] - 1, limit=len(indices)) if indices else []


def rounds_between(session: Session, first: int, last: int, *, at: Turn | None) -> list[TimelineRound]:
    """Return the session's rounds with indexes from `first` to `last`, up to a turn, in one query."""
    upto = Q() if at is None else Q(pk__lte=at.round_id)
    rounds = Round.objects.filter(upto, session=session, index__gte=first, index__lte=last).annotate(
        said=ArraySubquery(words_said()),
        answer=Subquery(answers()[:1], output_field=JSONField()),
        added=counted(triples_added(), "round"),
        superseded=counted(triples_superseded(), "superseded_in"),
        held=counted(HeldFragmentRecord.objects.filter(round=OuterRef("pk")), "round"),
        before=Subquery(turn_before(session).values("pk")[:1]),
        facts=checked_figures(),
        maintenance_use=maintenance_use(),
        reply_use=model_use(
            trace__replytrace__reply__round=OuterRef("pk"), trace__replytrace__reply__is_current=Value(True)
        ),
    )
    return [
        TimelineRound(
            round=row,
            said=tuple(words_of(found) for found in row.said),
            answer=ReplySummary(**row.answer) if row.answer is not None else None,
            added=row.added,
            superseded=row.superseded,
            held=row.held,
            before=row.before,
            facts=figures_of(Counter(row.facts).elements()) if row.facts else None,
        )
        for row in rounds.order_by("index")
    ]


def words_said() -> QuerySet[Turn, Any]:
    first = SentenceRecord.objects.filter(turn=OuterRef("pk")).order_by("index").values("pk")[:1]
    return (
        Turn.objects.filter(round=OuterRef("pk"))
        .order_by("index")
        .values(
            found=JSONObject(
                turn_id="pk",
                role="role",
                speaker="speaker",
                text=Left("text", FIRST_WORDS),
                length=Length("text"),
                said_at="said_at",
                sentence_id=Subquery(first),
            )
        )
    )


def words_of(found: dict[str, Any]) -> Words:
    return Words(
        turn_id=found["turn_id"],
        role=Role(found["role"]),
        speaker=found["speaker"],
        text=found["text"],
        is_cut=found["length"] > FIRST_WORDS,
        said_at=datetime.fromisoformat(found["said_at"]),
        sentence_id=found["sentence_id"],
    )


def answers() -> QuerySet[Reply, Any]:
    fields = ("state", "error", "first_token_ms", "total_ms")
    current = Reply.objects.filter(round=OuterRef("pk"), is_current=True)
    return current.values(found=JSONObject(id="pk", **{name: name for name in fields}))


def triples_added() -> QuerySet[TripleRecord]:
    """Return the triples that the round added and that held once it was processed (`memory.selectors.believed_as_of`)."""
    still = (
        Q(superseded_at=None)
        | Q(superseded_in__gt=OuterRef("pk"))
        | Q(superseded_in=None, superseded_at__gt=OuterRef("maintained_at"))
    )
    return TripleRecord.objects.filter(still, round=OuterRef("pk"), modality=Modality.ASSERTED)


def triples_superseded() -> QuerySet[TripleRecord]:
    """Return the triples that were believed before the round and not after it."""
    return TripleRecord.objects.filter(
        superseded_in=OuterRef("pk"), round__lt=OuterRef("pk"), modality=Modality.ASSERTED
    )


def counted(rows: QuerySet[Any], by: str) -> Coalesce:
    counts = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts), Value(0))


def turn_before(session: Session) -> QuerySet[Turn]:
    earlier = Round.objects.filter(space_id=session.space_id, pk__lt=OuterRef(OuterRef("pk")))
    remembered = earlier.exclude(maintenance="skipped").order_by("-pk").values("pk")[:1]
    return Turn.objects.filter(round=Subquery(remembered)).order_by("index")


def reply_line(session: Session, *, at: Turn | None) -> ReplyLine:
    """Return the scores of a session's replies up to a turn: one query, and a second one for more than `LINE` replies."""
    upto = Q() if at is None else Q(round__lte=at.round_id)
    is_promised = Case(When(score__state=ScoreState.PENDING, then=1), default=0)
    # Where several models have read a turn, the one that read it last counts, as in `present_scores`.
    found = list(
        Turn.objects.filter(IS_REPLY, upto, session=session)
        .annotate(score=FilteredRelation("scores", condition=Q(scores__strategy=settings.DSMART_SCORE_STRATEGY)))
        .order_by("-index", is_promised, F("score__scored_at").desc(nulls_last=True), "-score__pk")
        .distinct("index")
        .values_list(
            "pk", "index", "round_id", "round__index", "score__pk", "score__state", "score__model",
            "score__entailment", "score__neutral", "score__contradiction",
        )[:LINE]
    )[::-1]  # fmt: skip
    earlier = figures_before(session, found[0][1]) if len(found) == LINE else EarlierFigures(0, 0, 0, None)
    verdicts = [None if row[7] is None else EntailmentVerdict(*row[7:10]) for row in found]
    rates = running_entailment_rates(
        (verdict.label if verdict is not None else None for verdict in verdicts),
        entailed=earlier.entailed,
        scored=earlier.scored,
    )
    points = tuple(
        LinePoint(
            place=earlier.turns + place,
            turn_id=row[0],
            turn_index=row[1],
            round_id=row[2],
            number=row[3] + 1,
            score_id=row[4],
            state=ScoreStanding(row[5]) if row[5] else ScoreStanding.NOT_ASKED,
            verdict=verdict,
            running=rate,
        )
        for place, (row, verdict, rate) in enumerate(zip(found, verdicts, rates, strict=True), start=1)
    )
    models = dict.fromkeys(row[6] for row, verdict in zip(found, verdicts, strict=True) if verdict is not None)
    return ReplyLine(
        points=points,
        consistency=mean_with(earlier, verdicts),
        rate=rates[-1] if rates else rate_of(0, 0),
        turns=earlier.turns + len(points),
        readers=tuple((name, settings.DSMART_SCORE_STRATEGY) for name in models),
    )


@dataclass(frozen=True)
class EarlierFigures:
    """The figures of replies before the line: their number, how many are scored and entailed, and their mean CS."""

    turns: int
    scored: int
    entailed: int
    consistency: float | None


def figures_before(session: Session, index: int) -> EarlierFigures:
    """Return the figures of the replies with an index below `index`."""
    scored = TurnScore.objects.filter(pk__in=present_scores(session).values("pk"), state=ScoreState.SCORED)
    found = Turn.objects.filter(IS_REPLY, session=session, index__lt=index).aggregate(
        turns=Count("pk", distinct=True),
        scored=Count("scores", filter=Q(scores__in=scored)),
        entailed=Count("scores", filter=Q(scores__in=scored, scores__label=EntailmentLabel.ENTAILMENT)),
        consistency=Avg((F("scores__entailment") - F("scores__contradiction") + 1) / 2, filter=Q(scores__in=scored)),
    )
    return EarlierFigures(**found)


def mean_with(earlier: EarlierFigures, verdicts: Sequence[EntailmentVerdict | None]) -> float | None:
    """Return the mean CS of all scored replies, on the line and before it."""
    scores = [consistency_score(verdict) for verdict in verdicts if verdict is not None]
    count = earlier.scored + len(scores)
    return (sum(scores) + earlier.scored * (earlier.consistency or 0.0)) / count if count else None


def reply_scores(points: Sequence[LinePoint]) -> dict[int, list[ReplyScore]]:
    """Return the scores of a page's replies with the deciding sentences, by round, in one query."""
    rows = with_words(TurnScore.objects.filter(pk__in=[point.score_id for point in points if point.score_id]))
    rows = rows.annotate(
        premise_id=sentence_at("premise_turn", "premise_start"), hypothesis_id=sentence_at("turn", "hypothesis_start")
    )
    known = {row.pk: row for row in rows}
    found: dict[int, list[ReplyScore]] = {}
    for point in points:
        row = known.get(point.score_id) if point.score_id is not None else None
        turn = (point.turn_id, point.turn_index, point.round_id)
        score = view(turn, row, verdict_of(row), point.running)
        sentences = (getattr(row, "premise_id", None), getattr(row, "hypothesis_id", None))
        found.setdefault(point.round_id, []).append(ReplyScore(score, *sentences))
    return found


def sentence_at(turn: str, start: str) -> Subquery:
    sentences = SentenceRecord.objects.filter(turn=OuterRef(turn), start=OuterRef(start))
    return Subquery(sentences.values("pk")[:1])
