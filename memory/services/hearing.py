"""Hears a message: reads the person's words of a round before the reply to them, which can then tell what was stored.

Whoever asks does the work if nobody else writes the space's memory, and waits for them otherwise. No transaction is held
meanwhile: the stages of `maintenance` commit for themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.adapters.wakeups import wait_until
from memory.core.types import Learnt, LearntTriple, Modality
from memory.models import MaintenanceState, Round, TripleRecord
from memory.services.maintenance import learnt_topic, next_round, space_maintain
from memory.services.stages import HEARD_STAGE
from memory.stores import triples_of


@dataclass(frozen=True, kw_only=True)
class SpaceListener:
    """Implements `MessageListener` for the rounds of one space."""

    space_id: int
    within_s: float

    def hear(self, round_id: int) -> Learnt | None:
        is_heard = round_hear(space_id=self.space_id, round_id=round_id, within_s=self.within_s)
        return learnt_of(round_id) if is_heard else None


def round_hear(*, space_id: int, round_id: int, within_s: float) -> bool:
    """Store and read the words of a round that waits for its reply; return whether that was done in time.

    False too where its session is not remembered, or where reading failed: it is read again after the reply.
    """
    rounds = Round.objects.filter(pk=round_id, space=space_id, session__is_remembered=True)
    is_open = rounds.filter(maintenance=MaintenanceState.WAITING).exclude(maintenance_stage=HEARD_STAGE)
    is_open.update(maintenance=MaintenanceState.HEARING)
    round = rounds.first()
    if round is None:
        return False

    def is_read() -> bool:
        following = next_round(space_id)
        if following is not None and following.pk == round_id:
            space_maintain(space_id=space_id, seconds=0)
        return not rounds.filter(maintenance=MaintenanceState.HEARING).exists()

    wait_until(is_read, topic=learnt_topic(round), within_s=within_s)
    return rounds.filter(maintenance=MaintenanceState.WAITING, maintenance_stage=HEARD_STAGE).exists()


def learnt_of(round_id: int) -> Learnt:
    """Return the facts that a round stored and that hold, each with those that it replaced, and what merely ended."""
    taught = TripleRecord.objects.filter(round=round_id, superseded_at=None, modality=Modality.ASSERTED)
    ended = TripleRecord.objects.filter(superseded_in=round_id).exclude(round=round_id)
    successors = dict(ended.values_list("pk", "superseded_by_id"))
    stored, before = triples_of(taught.order_by("pk")), triples_of(ended.order_by("pk"))
    return Learnt(
        tuple(
            LearntTriple(triple, tuple(old for old in before if successors[old.id] == triple.id)) for triple in stored
        )
    )
