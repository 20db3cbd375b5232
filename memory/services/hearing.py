"""Hears a message: reads the person's words of a round before the reply to them, which can then tell what was stored.

Whoever asks does the work if nobody else writes the space's memory, and waits for them otherwise. No transaction is held
meanwhile: the stages of `maintenance` commit for themselves.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from memory.adapters.wakeups import wait_until
from memory.core.types import Learnt, LearntTriple, Modality
from memory.models import TO_MAINTAIN, MaintenanceState, Round, TripleRecord
from memory.services.maintenance import heard_topic, next_round, rest_promise, rounds_maintain, space_begin, space_rows
from memory.services.stages import HEARD_STAGE
from memory.stores import triples_of


@dataclass(frozen=True)
class Look:
    """What was seen of a round that is to be heard: whether it still waits for its reader, and else what it taught."""

    learnt: Learnt | None = None
    is_open: bool = False


@dataclass(frozen=True, kw_only=True)
class SpaceListener:
    """Implements `MessageListener` for the rounds of one space."""

    space_id: int
    within_s: float

    def hear(self, round_id: int) -> Learnt | None:
        """Store and read the words of a round that waits for its reply, and return what it taught.

        None where that was not done in time, where its session is not remembered, and where reading failed: it is read again
        after the reply.
        """
        looks: list[Look] = []

        def is_over() -> bool:
            looks.append(self._look(round_id, is_first=not looks))
            return not looks[-1].is_open

        wait_until(is_over, topic=heard_topic(round_id), within_s=self.within_s)
        return looks[-1].learnt

    def _look(self, round_id: int, *, is_first: bool = False, has_read: bool = False) -> Look:
        """Look at the round in one transaction; read it if it is the next one and nobody else writes the memory."""
        rounds = Round.objects.filter(pk=round_id, space=self.space_id, session__is_remembered=True)
        with transaction.atomic():
            if is_first:
                space_rows(self.space_id).select_for_update(no_key=True).only("pk").first()
                waiting = rounds.filter(maintenance=MaintenanceState.WAITING).exclude(maintenance_stage=HEARD_STAGE)
                waiting.update(maintenance=MaintenanceState.HEARING)
            if has_read:
                rest_promise(self.space_id)
            round = rounds.first()
            if round is None or round.maintenance != MaintenanceState.HEARING:
                return Look(learnt_of(round) if round is not None and is_heard(round) else None)
            begun = space_begin(self.space_id) if next_round(self.space_id) == round else None
        if begun is None:
            return Look(is_open=True)
        rounds_maintain(*begun, seconds=0)
        return self._look(round_id, has_read=True)


def others_unfinished(round: Round) -> QuerySet[Round]:
    """Return the rounds of the same space that wait for a reply or for maintenance too, but for a backlog."""
    unfinished = (MaintenanceState.WAITING, *TO_MAINTAIN)
    rounds = Round.objects.filter(space=round.space_id, maintenance__in=unfinished, is_backlog=False)
    return rounds.exclude(pk=round.pk)


def is_heard(round: Round) -> bool:
    return round.maintenance == MaintenanceState.WAITING and round.maintenance_stage == HEARD_STAGE


def learnt_of(round: Round) -> Learnt:
    """Return the facts that a round stored and that hold, each with those that it replaced, and what merely ended."""
    taught = TripleRecord.objects.filter(round=round, superseded_at=None, modality=Modality.ASSERTED)
    ended = TripleRecord.objects.filter(superseded_in=round).exclude(round=round)
    successors = dict(ended.values_list("pk", "superseded_by_id"))
    stored, before = triples_of(taught.order_by("pk")), triples_of(ended.order_by("pk"))
    return Learnt(
        tuple(
            LearntTriple(triple, tuple(old for old in before if successors[old.id] == triple.id)) for triple in stored
        )
    )
