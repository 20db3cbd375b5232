"""Maintenance: what a round teaches, stage by stage, one writer a space.

A worker takes the space's lease, runs its pending rounds in order and gives the lease back. No transaction is held
across a model call: a stage computes first and then commits in one short transaction, which locks the space's row and
checks that the lease is still this worker's. A stage that was committed is not run again, so a restart after any
crash goes on where the work stood, and nothing is written twice.
"""

import logging
import math
import time
from datetime import timedelta

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from memory import events
from memory.adapters.deadlocks import is_victim
from memory.adapters.outages import is_away
from memory.adapters.precedence import precedence
from memory.adapters.wakeups import wake
from memory.core.errors import MemoryCoreError
from memory.core.tracing import TraceStep, recording
from memory.models import TO_MAINTAIN, MaintenanceState, Round, Session, Space
from memory.services.dialogue import maintenance_enqueue
from memory.services.leases import Lease, LeaseLost, is_free, lease_take
from memory.services.round_words import RoundReading
from memory.services.stages import FIRST_STAGE, HEARD_STAGE, LAST_STAGE, look_ahead, remaining_stages
from memory.services.step_times import step_times
from memory.services.tracing import maintenance_trace_add

logger = logging.getLogger(__name__)

FAILED: dict[str, object] = {"maintenance": MaintenanceState.FAILED, "maintained_at": None}
# The columns of a space's lease.
WRITER = "maintenance"


class RoundWithdrawn(Exception):
    """The round was deleted or edited while it was read. What was computed from its old words is dropped."""


def space_maintain(*, space_id: int, seconds: float = math.inf) -> int:
    """Run the space's pending rounds in order and return how many were run; 0 while another worker is at it.

    What is left after so many seconds is promised again, behind the work of other spaces.
    """
    with transaction.atomic():
        begun = space_begin(space_id)
    if begun is None:
        return 0
    count = rounds_maintain(*begun, seconds=seconds)
    rest_promise(space_id)
    return count


def rest_promise(space_id: int) -> None:
    """Ask a worker for the rounds that are pending once the lease was given back: they came too late to ask themselves."""
    if next_round(space_id) is not None:
        maintenance_enqueue(space_id=space_id)


def space_begin(space_id: int) -> tuple[RoundReading, Lease] | None:
    """Take the space's lease and begin its next round, in the caller's transaction; None where there is nothing to do."""
    lease = space_lease_take(space_id)
    reading = None if lease is None else round_begin(lease.check(), lease)
    return None if lease is None or reading is None else (reading, lease)


def rounds_maintain(reading: RoundReading, lease: Lease, *, seconds: float) -> int:
    """Run the round that was begun and, for so many seconds, those pending after it; return how many were run."""
    until, space_id, count = time.monotonic() + seconds, reading.space.pk, 0
    following: RoundReading | None = reading
    try:
        with lease.kept_alive():
            while following is not None:
                following = round_maintain(following, lease, until=until)
                count += 1
    except LeaseLost:
        if space_rows(space_id).exists():
            logger.warning("The maintenance of space %s went on in another worker.", space_id)
        return count
    except BaseException:
        lease.release()
        raise
    return count


@transaction.atomic
def maintenance_retry(*, round: Round) -> None:
    """Queue a failed round again. Its committed stages stay; one that was read in part is read again from its words."""
    failed = Round.objects.filter(pk=round.pk, maintenance=MaintenanceState.FAILED)
    failed.filter(maintained_at__isnull=False).update(maintenance_stage=FIRST_STAGE)
    changed = failed.update(maintenance=MaintenanceState.PENDING, maintenance_error="", maintained_at=None)
    if changed:
        maintenance_enqueue(space_id=round.space_id)


def round_begin(space: Space, lease: Lease, *, until: float = math.inf) -> RoundReading | None:
    """Begin the space's next round, in the caller's transaction, and return it with what its stages need of it.

    Where none is pending, or the time is over, the lease is given back and None returned.
    """
    round = next_round(space.pk) if time.monotonic() < until else None
    if round is None:
        lease.release()
        return None
    if round.maintenance != MaintenanceState.HEARING:
        round.maintenance = MaintenanceState.RUNNING
        Round.objects.filter(pk=round.pk).update(maintenance=round.maintenance)
    reading = RoundReading(round, space)
    reading.read()
    look_ahead(reading, done=round.maintenance_stage)
    return reading


def round_maintain(reading: RoundReading, lease: Lease, *, until: float) -> RoundReading | None:
    """Run the stages that the round still lacks, and begin the next round in the transaction that ends this one.

    A failure is written on the round and ends only this round.
    """
    round = reading.round
    calls: list[TraceStep] = []
    try:
        following = stages_run(reading, lease, calls, until=until)
        events.memory_changed(space_id=round.space_id)
        return following
    except MemoryCoreError as error:
        outcome = {**FAILED, "maintenance_error": str(error)}
    except LeaseLost:
        raise
    except (RoundWithdrawn, Session.DoesNotExist, Space.DoesNotExist):
        return following_begin(lease, until=until)
    except Exception as error:
        if is_away(error) or is_victim(error):
            raise  # the sweep asks for the round again
        logger.exception("Maintenance of round %s failed.", round.pk)
        outcome = {
            **FAILED,
            "maintenance_error": "Something went wrong while this was being remembered. Its words are kept; try again.",
        }
    try:
        with lease.committing() as space:
            maintenance_trace_add(round=round, steps=calls)
            if round.maintenance == MaintenanceState.HEARING:
                # It is read again, and its failure told, once the reply is there.
                round_heard(round)
            else:
                round_end(round, **outcome)
            following = round_begin(space, lease, until=until)
    except RoundWithdrawn:
        return following_begin(lease, until=until)
    events.memory_changed(space_id=round.space_id)
    return following


def following_begin(lease: Lease, *, until: float) -> RoundReading | None:
    """Begin the next round after one that was withdrawn."""
    with lease.committing() as space:
        return round_begin(space, lease, until=until)


def stages_run(reading: RoundReading, lease: Lease, calls: list[TraceStep], *, until: float) -> RoundReading | None:
    """Run the stages that the round still lacks, each in a transaction of its own; the last one ends the round.

    Of a round that is only heard it is the last one before the reply. It begins the next round too, which is returned.
    `calls` are those that the stage which is run made of language models. They are stored with what it wrote.
    """
    round = reading.round
    following = None
    with step_times(round.stage_ms) as times:
        is_heard = round.maintenance == MaintenanceState.HEARING
        for name, stage in remaining_stages(round.maintenance_stage, is_heard=is_heard):
            calls.clear()
            precedence.give_way()
            with recording(calls.extend):
                write = stage(reading)
            with lease.committing() as space:
                write(space)
                maintenance_trace_add(round=round, steps=calls)
                round.maintenance_error = " ".join(filter(None, [round.maintenance_error, *reading.shortfalls]))
                changes: dict[str, object] = {
                    "maintenance_stage": name,
                    "stage_ms": times.stage_ended(name),
                    "maintenance_error": round.maintenance_error,
                }
                reading = reading.as_of(space)
                if name == LAST_STAGE:
                    state = MaintenanceState.FAILED if round.maintenance_error else MaintenanceState.DONE
                    round_end(round, maintenance=state, maintained_at=timezone.now(), **changes)
                    following = round_begin(space, lease, until=until)
                elif name == HEARD_STAGE and is_heard:
                    round_heard(round, **changes)
                    following = round_begin(space, lease, until=until)
                else:
                    round_change(round, **changes)
                    look_ahead(reading, done=name)
    return following


def round_end(round: Round, **outcome: object) -> None:
    """Write down how a round's maintenance ended, in the caller's transaction."""
    round_change(round, **outcome)
    events.round_ended.send(sender=Round, round_id=round.pk)
    wake(learnt_topic(round))


def round_heard(round: Round, **changes: object) -> None:
    """Let a round wait for its reply again, in the caller's transaction, after the person's words were read."""
    round_change(round, maintenance=MaintenanceState.WAITING, **changes)
    wake(heard_topic(round.pk))


def round_change(round: Round, **columns: object) -> None:
    """Change a round in the caller's transaction, which holds the lease. Raises `RoundWithdrawn`: all of it is dropped then.

    Whoever deletes a round, or takes back what it taught, locks its space first and leaves it in another state.
    """
    if not Round.objects.filter(pk=round.pk, maintenance=round.maintenance).update(**columns):
        raise RoundWithdrawn


def idle_spaces_take(*, grace: timedelta, limit: int) -> list[int]:
    """Mark spaces with pending rounds and no writer as looked for, and return their ids, at most `limit`.

    None of them was marked within `grace`. The caller's transaction locks them.
    """
    now = timezone.now()
    idle = Space.objects.filter(
        is_free(WRITER),
        Q(looked_for_at=None) | Q(looked_for_at__lt=now - grace),
        pk__in=Round.objects.filter(maintenance__in=TO_MAINTAIN).values("space"),
    )
    ids = list(
        idle.select_for_update(skip_locked=True, no_key=True).order_by("pk").values_list("pk", flat=True)[:limit]
    )
    Space.objects.filter(pk__in=ids).update(looked_for_at=now)
    return ids


def next_round(space_id: int) -> Round | None:
    """Return what is to be learnt next: what is said now before a backlog, but for the backlog of its own session."""
    waiting = Round.objects.filter(maintenance__in=TO_MAINTAIN)
    before = waiting.filter(session=OuterRef("session"), id__lt=OuterRef("id"), is_backlog=True).order_by("id")
    ordered = waiting.filter(space_id=space_id).annotate(first=Subquery(before.values("id")[:1]))
    round = ordered.order_by("is_backlog", "id").first()
    if round is None or round.is_backlog or round.first is None:
        return round
    return waiting.filter(id=round.first).first()


def learnt_topic(round: Round) -> str:
    """Return what is called when a round of the same session was learnt."""
    return f"learnt in session {round.session_id}"


def heard_topic(round_id: int) -> str:
    """Return what is called when a round was heard, or could not be."""
    return f"heard round {round_id}"


def space_lease_take(space_id: int) -> Lease | None:
    """Return the right to write the space's memory if nobody has it."""
    return lease_take(space_rows(space_id), name=WRITER)


def space_rows(space_id: int) -> QuerySet[Space]:
    return Space.objects.filter(pk=space_id)
