"""Queues scores: one row without a model for each turn, in the transaction that ends its round, or on demand."""

from __future__ import annotations

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation import bootstrap
from evaluation.core.errors import UnknownName
from evaluation.core.turn_consistency.types import Unscored
from evaluation.models import ScoreState, TurnScore
from memory.models import IS_REPLY, MaintenanceState, OutboxRecord, Session, Space, Turn

SCORE_TASK = "evaluation.score_turns"
SCORE_QUEUE = "evaluation"
ENDED = (MaintenanceState.DONE, MaintenanceState.FAILED, MaintenanceState.SKIPPED)
# What may pass once the model is another one.
CURABLE = (Unscored.NO_MODEL, Unscored.FAILED)
ROWS_A_BATCH = 500
# The advisory lock of claims: "scor" in ASCII.
CLAIM_LOCK = 0x73636F72


def scores_promise(*, round_id: int) -> int:
    """Queue, in the caller's transaction, the scores of a round's replies; return the number of new ones.

    A turn that has a score by the configured strategy keeps it, whatever model gave it. No task is queued where scores wait
    already: theirs computes these too, because a worker looks again until it finds none (`claims_lock`).
    """
    if not settings.DSMART_SCORES:
        return 0
    strategy = bootstrap.strategy().name
    has_score = TurnScore.objects.filter(turn=OuterRef("pk"), strategy=strategy)
    rows = new_rows(reply_turns().filter(~Exists(has_score), round=round_id), strategy)
    if not rows:
        return 0
    claims_lock(is_shared=True)
    are_waiting = TurnScore.objects.filter(state=ScoreState.PENDING).exists()
    TurnScore.objects.bulk_create(rows, ignore_conflicts=True)
    if not are_waiting:
        scores_enqueue()
    return len(rows)


@transaction.atomic
def scores_catch_up(*, model: str, space: Space | None = None, limit: int | None = None) -> int:
    """Queue scores of the newest turns that a model has not scored or failed to score; return their number.

    Only turns of completed rounds count. Scores by other models stay.
    """
    strategy = bootstrap.strategy().name
    scores = TurnScore.objects.filter(turn=OuterRef("pk"), strategy=strategy)
    settled = scores.filter(Q(state=ScoreState.PENDING) | (Q(model=model) & ~Q(reason__in=CURABLE)))
    turns = reply_turns().filter(~Exists(settled), round__maintenance__in=ENDED).order_by("-pk")
    chosen = list((turns if space is None else turns.filter(space=space)).values_list("pk", flat=True)[:limit])
    count = 0
    for start in range(0, len(chosen), ROWS_A_BATCH):
        batch = chosen[start : start + ROWS_A_BATCH]
        TurnScore.objects.filter(
            turn__in=batch, strategy=strategy, state=ScoreState.NOT_SCORED, reason__in=CURABLE
        ).delete()
        rows = new_rows(reply_turns().filter(pk__in=batch), strategy)
        TurnScore.objects.bulk_create(rows, ignore_conflicts=True)
        count += len(rows)
    if count:
        scores_enqueue()
    return count


@transaction.atomic
def scores_promise_again(*, round_id: int) -> int:
    """Queue the scores of a round that has none, or whose reason may have passed; return the number of replies."""
    claims_lock(is_shared=True)
    faults = TurnScore.objects.filter(turn__round=round_id, state=ScoreState.NOT_SCORED, reason__in=CURABLE)
    if settings.DSMART_SCORES:
        faults.filter(strategy=bootstrap.strategy().name).delete()
    return scores_promise(round_id=round_id)


def claims_lock(*, is_shared: bool = False, key: int = CLAIM_LOCK) -> None:
    """Let a claim of scores, or of what another key stands for, wait until the caller's transaction ends for promises
    (shared), or promises for a claim.

    Either a worker that finds nothing more sees what was promised, or the promise sees that nobody is at work.
    """
    take = "pg_advisory_xact_lock_shared" if is_shared else "pg_advisory_xact_lock"
    with connection.cursor() as cursor:
        cursor.execute(f"select {take}(%s)", [key])


def scores_enqueue() -> None:
    """Queue, in the caller's transaction, the task that computes queued scores."""
    OutboxRecord.objects.create(task=SCORE_TASK, arguments={}, queue=SCORE_QUEUE)


def reply_turns() -> QuerySet[Turn]:
    return Turn.objects.filter(IS_REPLY)


@transaction.atomic
def replies_choose(*, session: Session, speaker: str) -> int:
    """Let a speaker's turns count as a session's replies, and queue their scores; return the number of new ones.

    "" is whatever the assistant said, `Session.NOBODY` nothing. Scores of turns that are no replies any more are deleted.
    Raises `UnknownName` for a speaker who says nothing in the session.
    """
    if speaker not in ("", Session.NOBODY) and not Turn.objects.filter(session=session, speaker=speaker).exists():
        raise UnknownName(f"{speaker} says nothing in this conversation. Choose somebody who does.")
    Session.objects.filter(pk=session.pk).update(replies_by=speaker)
    strategy = bootstrap.strategy().name
    TurnScore.objects.filter(session=session).exclude(turn__in=reply_turns().filter(session=session)).delete()
    if not settings.DSMART_SCORES:
        return 0
    has_score = TurnScore.objects.filter(turn=OuterRef("pk"), strategy=strategy)
    ended = reply_turns().filter(~Exists(has_score), session=session, round__maintenance__in=ENDED)
    rows = new_rows(ended, strategy)
    TurnScore.objects.bulk_create(rows, ignore_conflicts=True, batch_size=ROWS_A_BATCH)
    if rows:
        scores_enqueue()
    return len(rows)


def new_rows(turns: QuerySet[Turn], strategy: str) -> list[TurnScore]:
    """Return a queued score, not stored yet, for each of the turns."""
    return [
        TurnScore(space_id=space_id, session_id=session_id, turn_id=turn_id, strategy=strategy)
        for turn_id, session_id, space_id in turns.order_by("pk").values_list("pk", "session_id", "space_id")
    ]
