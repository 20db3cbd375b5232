"""Computing the promised scores of the assistant's turns.

A worker claims a few rows by a lease, asks the model outside any transaction and writes each row in one update that the
lease guards. A worker that died leaves rows whose lease runs out, so that nothing is lost and nothing written twice. The
newest turns are read first: whoever talks sees them, while what was replayed waits.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from conversations.models import Reply, ReplyState
from evaluation import bootstrap
from evaluation.core.turn_consistency.turns import score_turn
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, Unscored
from evaluation.models import ScoreState, TurnScore
from evaluation.services.score_promises import scores_enqueue
from evaluation.services.spoken import StoredVectors, stored_turn_to_score
from memory import bootstrap as memory_bootstrap
from memory import events
from memory.core.ports import EntailmentModel
from memory.models import Turn
from memory.services.leases import kept_alive

logger = logging.getLogger(__name__)

ROWS_A_CLAIM = 8
RUN_S = 60.0
MAX_ATTEMPTS = 3
REPLY_POLL_S = 0.1
REPLY_WAIT_S = 5.0
MODEL_NAME_LENGTH = 200


@dataclass(frozen=True)
class Claim:
    """Rows that only this worker may write."""

    token: uuid.UUID
    rows: tuple[TurnScore, ...]

    def prolong(self) -> bool:
        """Move the end of the lease of what is left to do; False where nothing is."""
        return mine(self.token).update(lease_until=lease_end()) > 0


def scores_run(*, seconds: float = RUN_S, on_turn: Callable[[], object] = lambda: None) -> int:
    """Compute promised scores, the newest first, and return how many were written.

    After `seconds` the rest is promised to another task, so that no task holds its worker for long.
    """
    give_up = time.monotonic() + seconds
    written = 0
    while (claim := rows_claim()).rows:
        with kept_alive(claim.prolong):
            for row in claim.rows:
                reply_wait()
                written += row_score(row, claim.token, memory_bootstrap.entailment_model())
                on_turn()
        for space_id in {row.space_id for row in claim.rows}:
            events.memory_changed(space_id=space_id)
        if time.monotonic() >= give_up and unclaimed().exists():
            scores_enqueue()
            break
    return written


def unclaimed() -> QuerySet[TurnScore]:
    """Return the promised scores that nobody is computing."""
    is_free = Q(lease_until=None) | Q(lease_until__lt=timezone.now())
    return TurnScore.objects.filter(is_free, state=ScoreState.PENDING)


@transaction.atomic
def rows_claim() -> Claim:
    """Return the newest promised scores that are free, now this worker's; none where there is nothing to do."""
    token = uuid.uuid4()
    free = unclaimed().select_for_update(skip_locked=True).order_by("-pk")
    ids = list(free.values_list("pk", flat=True)[:ROWS_A_CLAIM])
    TurnScore.objects.filter(pk__in=ids).update(lease_token=token, lease_until=lease_end(), attempts=F("attempts") + 1)
    rows = mine(token).filter(pk__in=ids).select_related("turn").defer("turn__search", "turn__text")
    return Claim(token, tuple(rows.order_by("-pk")))


def row_score(row: TurnScore, token: uuid.UUID, model: EntailmentModel | None) -> bool:
    """Compute one score and write it; False where its turn is gone or another worker has taken it over."""
    began = time.perf_counter()
    try:
        outcome = outcome_of(row, model)
    except Turn.DoesNotExist:
        return False
    except Exception:
        logger.exception("Turn %s could not be scored.", row.turn_id)
        outcome = NotScored(Unscored.FAILED, "Something went wrong while this turn was read. Its words are kept.")
    written = {
        **outcome_fields(outcome),
        "model": model.name[:MODEL_NAME_LENGTH] if model is not None else "",
        "milliseconds": round((time.perf_counter() - began) * 1000),
        "scored_at": timezone.now(),
        "lease_token": None,
        "lease_until": None,
    }
    try:
        with transaction.atomic():
            return mine(token).filter(pk=row.pk).update(**written) > 0
    except IntegrityError:
        # The same model has read the turn already, under another promise, or the words that decided are being forgotten.
        mine(token).filter(pk=row.pk).delete()
        return False


def outcome_of(row: TurnScore, model: EntailmentModel | None) -> ScoredTurn | NotScored:
    if row.attempts > MAX_ATTEMPTS:
        return NotScored(Unscored.FAILED, f"The server was interrupted {MAX_ATTEMPTS} times while it read this turn.")
    if model is None:
        return NotScored(Unscored.NO_MODEL, memory_bootstrap.entailment_absence())
    turn = stored_turn_to_score(row.turn)
    return score_turn(turn, strategy=bootstrap.strategy(row.strategy), model=model, vectors=StoredVectors(turn))


def outcome_fields(outcome: ScoredTurn | NotScored) -> dict[str, object]:
    """Return the columns that an outcome fills."""
    if isinstance(outcome, NotScored):
        return {"state": ScoreState.NOT_SCORED, "reason": outcome.reason, "why": outcome.why}
    premise, hypothesis = outcome.premise_at, outcome.hypothesis_at
    return {
        "state": ScoreState.SCORED,
        "label": outcome.label,
        "entailment": outcome.verdict.entailment,
        "neutral": outcome.verdict.neutral,
        "contradiction": outcome.verdict.contradiction,
        "premise_turn_id": premise and premise.turn,
        "premise_start": premise and premise.span.start,
        "premise_end": premise and premise.span.end,
        "hypothesis_start": hypothesis and hypothesis.span.start,
        "hypothesis_end": hypothesis and hypothesis.span.end,
    }


def mine(token: uuid.UUID) -> QuerySet[TurnScore]:
    return TurnScore.objects.filter(lease_token=token, state=ScoreState.PENDING)


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.DSMART_LEASE_S)


def reply_wait() -> None:
    """Let a reply that is being written have the processor first, for a while."""
    give_up = time.monotonic() + REPLY_WAIT_S
    while time.monotonic() < give_up and replies_written().exists():
        time.sleep(REPLY_POLL_S)


def replies_written() -> QuerySet[Reply]:
    return Reply.objects.filter(state=ReplyState.RUNNING, lease_until__gte=timezone.now())
