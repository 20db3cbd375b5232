"""Maintenance: what a round teaches, stage by stage, one writer a space.

A worker takes the space's lease, runs its pending rounds in order and gives the lease back. No transaction is held
across a model call: a stage computes first and then commits in one short transaction, which locks the space's row and
checks that the lease is still this worker's. A stage that was committed is not run again, so a restart after any
crash goes on where the work stood, and nothing is written twice.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memory import events
from memory.core.errors import MemoryCoreError
from memory.models import MaintenanceState, Round, Session, Space
from memory.services.dialogue import maintenance_enqueue
from memory.services.leases import kept_alive
from memory.services.round_words import SPACE_STATE, RoundReading, space_state
from memory.services.stages import LAST_STAGE, remaining_stages
from memory.services.step_times import step_times

logger = logging.getLogger(__name__)

TO_MAINTAIN = (MaintenanceState.PENDING, MaintenanceState.RUNNING)


class LeaseLost(Exception):
    """Another worker took the space over. What this one had not committed is dropped."""


class RoundWithdrawn(Exception):
    """The round was deleted or edited while it was read. What was computed from its old words is dropped."""


@dataclass(frozen=True)
class Lease:
    """The right to write one space's memory, kept alive by every commit."""

    space_id: int
    token: uuid.UUID

    @contextmanager
    def committing(self) -> Iterator[None]:
        """A transaction that only the holder of the lease can complete, and that prolongs it."""
        with transaction.atomic():
            # Prolonging is what locks the space's row, as `space_lock` does.
            if not self.prolong():
                raise LeaseLost if Space.objects.filter(pk=self.space_id).exists() else Space.DoesNotExist
            yield

    def prolong(self) -> bool:
        """Move the end of the lease; False where it is no longer this worker's."""
        mine = Space.objects.filter(pk=self.space_id, maintenance_token=self.token)
        return mine.update(maintenance_until=lease_end()) > 0


def space_maintain(*, space_id: int) -> int:
    """Run the space's pending rounds in order and return how many were run; 0 while another worker is at it."""
    lease = lease_take(space_id)
    if lease is None:
        return 0
    count = 0
    try:
        with kept_alive(lease.prolong):
            while (round := next_round(space_id)) is not None:
                round_maintain(round, lease)
                count += 1
    except Space.DoesNotExist:
        return count
    except LeaseLost:
        logger.warning("The maintenance of space %s went on in another worker.", space_id)
        return count
    finally:
        lease_release(lease)
    if next_round(space_id) is not None:
        maintenance_enqueue(space_id=space_id)
    return count


@transaction.atomic
def maintenance_retry(*, round: Round) -> None:
    """Queue a failed round again. Its committed stages stay."""
    changed = Round.objects.filter(pk=round.pk, maintenance=MaintenanceState.FAILED).update(
        maintenance=MaintenanceState.PENDING, maintenance_error=""
    )
    if changed:
        maintenance_enqueue(space_id=round.space_id)


def round_maintain(round: Round, lease: Lease) -> None:
    """Run the stages that the round still lacks. A failure is written on the round and ends only this round."""
    with lease.committing():
        taken = Round.objects.filter(pk=round.pk, maintenance__in=TO_MAINTAIN)
        if not taken.update(maintenance=MaintenanceState.RUNNING):
            return
    try:
        stages_run(round, lease)
        events.memory_changed(space_id=round.space_id)
        return
    except MemoryCoreError as error:
        outcome = {"maintenance": MaintenanceState.FAILED, "maintenance_error": str(error)}
    except LeaseLost:
        raise
    except (RoundWithdrawn, Session.DoesNotExist, Space.DoesNotExist):
        return
    except Exception:
        logger.exception("Maintenance of round %s failed.", round.pk)
        outcome = {
            "maintenance": MaintenanceState.FAILED,
            "maintenance_error": "Something went wrong while this was being remembered. Its words are kept; try again.",
        }
    try:
        with committing_round(round, lease):
            round_end(round, **outcome)
    except (RoundWithdrawn, Space.DoesNotExist):
        return
    events.memory_changed(space_id=round.space_id)


def stages_run(round: Round, lease: Lease) -> None:
    """Run the stages that the round still lacks, each in a transaction of its own; the last one ends the round."""
    reading = RoundReading(round, space_state(round.space_id))
    with step_times(round.stage_ms) as times:
        for name, stage in remaining_stages(round.maintenance_stage):
            write = stage(reading)
            with committing_round(round, lease) as space:
                write(space)
                changes: dict[str, object] = {"maintenance_stage": name, "stage_ms": times.stage_ended(name)}
                if name == LAST_STAGE:
                    round_end(round, maintenance=MaintenanceState.DONE, maintained_at=timezone.now(), **changes)
                else:
                    Round.objects.filter(pk=round.pk).update(**changes)
            reading = reading.as_of(space)


def round_end(round: Round, **outcome: object) -> None:
    """Write down how a round's maintenance ended, in the caller's transaction."""
    Round.objects.filter(pk=round.pk).update(**outcome)
    events.round_ended.send(sender=Round, round_id=round.pk)


@contextmanager
def committing_round(round: Round, lease: Lease) -> Iterator[Space]:
    """A transaction of the lease that writes only while the round is still the one that this worker began.

    Whoever deletes a round, or takes back what it taught, locks its space first and leaves it in another state. Gives the
    state of the space under the lock.
    """
    with lease.committing():
        space = (
            Space.objects.only(*SPACE_STATE)
            .filter(rounds=round.pk, rounds__maintenance=MaintenanceState.RUNNING)
            .first()
        )
        if space is None:
            raise RoundWithdrawn
        yield space


def next_round(space_id: int) -> Round | None:
    return Round.objects.filter(space_id=space_id, maintenance__in=TO_MAINTAIN).order_by("id").first()


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.DSMART_LEASE_S)


def lease_take(space_id: int) -> Lease | None:
    """Return the space's lease if it is free or expired."""
    lease = Lease(space_id=space_id, token=uuid.uuid4())
    is_free = Q(maintenance_token=None) | Q(maintenance_until__lt=timezone.now())
    taken = Space.objects.filter(is_free, pk=space_id).update(
        maintenance_token=lease.token, maintenance_until=lease_end()
    )
    return lease if taken else None


def lease_release(lease: Lease) -> None:
    Space.objects.filter(pk=lease.space_id, maintenance_token=lease.token).update(
        maintenance_token=None, maintenance_until=None
    )
