"""Computes the queued scores of the assistant's turns.

A worker claims a few rows by a lease, asks the model outside any transaction and writes each row in one update that checks
the lease. The lease of a dead worker expires, so nothing is lost or written twice. The newest turns come first: people who
talk see them, while replayed ones wait.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from conversations.models import Reply, ReplyState
from conversations.services.trace import REPLY_ENDED
from evaluation import bootstrap
from evaluation.core.turn_consistency.turns import score_turn
from evaluation.core.turn_consistency.types import NotScored, ScoredTurn, Unscored
from evaluation.models import ScoreState, TurnScore
from evaluation.services.holding import StoredHolding
from evaluation.services.score_promises import claims_lock, scores_enqueue
from evaluation.services.spoken import StoredVectors, asker_of, stored_turn_to_score
from memory import bootstrap as memory_bootstrap
from memory import events
from memory.adapters.outages import is_away
from memory.adapters.precedence import precedence
from memory.adapters.row_security.scope import everything, spaces
from memory.adapters.wakeups import wait_until
from memory.core.ports import EntailmentModel
from memory.models import Turn
from memory.services.leases import Lease, is_free, lease_take

logger = logging.getLogger(__name__)

ROWS_A_CLAIM = 8
RUN_S = 60.0
MAX_ATTEMPTS = 3
REPLY_WAIT_S = 5.0
MODEL_NAME_LENGTH = 200


@dataclass(frozen=True)
class Claim:
    """Rows that only this worker may write, and the lease of those that are still to be written."""

    lease: Lease
    rows: tuple[TurnScore, ...]


def scores_run(*, seconds: float = RUN_S, on_turn: Callable[[], object] = lambda: None) -> int:
    """Compute queued scores, newest first, and return their number.

    After `seconds` the rest is queued for another task, so that no task occupies its worker for long.
    """
    give_up = time.monotonic() + seconds
    written = 0
    while (claim := rows_claim()) is not None:
        space_ids = {row.space_id for row in claim.rows}
        with spaces(*space_ids), claim.lease.kept_alive():
            reply_wait()
            for row in claim.rows:
                precedence.give_way()
                with spaces(row.space_id):
                    written += row_score(row, claim.lease, memory_bootstrap.entailment_model())
                on_turn()
        for space_id in space_ids:
            events.memory_changed(space_id=space_id)
        if time.monotonic() >= give_up and is_left(unclaimed()):
            scores_enqueue()
            break
    return written


@everything()
def is_left(unclaimed: QuerySet) -> bool:
    """Return whether any space has work of a kind that no worker does."""
    return unclaimed.exists()


def unclaimed() -> QuerySet[TurnScore]:
    """Return the queued scores that no worker has claimed."""
    return TurnScore.objects.filter(is_free(), state=ScoreState.PENDING)


@everything()
@transaction.atomic
def rows_claim() -> Claim | None:
    """Claim the newest free rows for this worker, and return them; None where there is nothing to do."""
    claims_lock()
    free = unclaimed().select_for_update(skip_locked=True).order_by("-pk")
    ids = list(free.values_list("pk", flat=True)[:ROWS_A_CLAIM])
    promised = TurnScore.objects.filter(pk__in=ids, state=ScoreState.PENDING)
    lease = lease_take(promised, attempts=F("attempts") + 1)
    if lease is None:
        return None
    rows = lease.held.select_related("turn__round").defer("turn__search", "turn__text")
    return Claim(lease, tuple(rows.order_by("-pk")))


def row_score(row: TurnScore, lease: Lease, model: EntailmentModel | None) -> bool:
    """Compute one score and store it; False where its turn is gone or another worker has taken it over."""
    began = time.perf_counter()
    try:
        outcome = outcome_of(row, model)
    except Turn.DoesNotExist:
        return False
    except Exception as error:
        if is_away(error):
            raise
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
            return lease.held.filter(pk=row.pk).update(**written) > 0
    except IntegrityError:
        # The same model has read the turn already, under another promise, or the words that decided are being forgotten.
        lease.held.filter(pk=row.pk).delete()
        return False


def outcome_of(row: TurnScore, model: EntailmentModel | None) -> ScoredTurn | NotScored:
    if row.attempts > MAX_ATTEMPTS:
        return NotScored(Unscored.FAILED, f"The server was interrupted {MAX_ATTEMPTS} times while it read this turn.")
    if row.turn.round.is_wish:
        return NotScored(Unscored.WISH, "It tells what was done about a wish.")
    if model is None:
        return NotScored(Unscored.NO_MODEL, memory_bootstrap.entailment_absence())
    turn = stored_turn_to_score(row.turn)
    return score_turn(
        turn,
        strategy=bootstrap.strategy(row.strategy),
        model=model,
        vectors=StoredVectors(turn),
        parser=memory_bootstrap.parser(),
        holding=StoredHolding(row.turn, asker_of(turn)),
    )


def outcome_fields(outcome: ScoredTurn | NotScored) -> dict[str, object]:
    """Return the column values of an outcome."""
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


@everything()
def reply_wait() -> None:
    """Wait a while for running replies, so that they have the processor first."""
    wait_until(lambda: not replies_written().exists(), topic=REPLY_ENDED, within_s=REPLY_WAIT_S)


def replies_written() -> QuerySet[Reply]:
    return Reply.objects.filter(state=ReplyState.RUNNING, lease_until__gte=timezone.now())
