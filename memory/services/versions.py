"""Versions of a round: other words, or another reply, at the same place of a dialogue, each with its own continuation.

The memory holds the dialogue as it stands and nothing else. What is put aside with a version keeps its words, replies, traces
and scores, and teaches nothing; when it returns, it is learnt again from its words, after everything that people decided
meanwhile. Putting aside and returning are one transaction each; the learning is the queue of maintenance, which shows where
it stands and survives a crash. The number of queries does not grow with the number of rounds.
"""

from datetime import datetime

from django.db import transaction

from memory import events
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Turn
from memory.services.dialogue import maintenance_enqueue, session_lock, turn_append
from memory.services.forgetting import UNLEARNT, rounds_unlearn
from memory.services.semantic_state import state_retract
from memory.services.spaces import space_lock
from memory.services.tracing import traces_forget


@transaction.atomic
def version_open(*, round: Round, text: str, said_at: datetime | None = None) -> Round:
    """Put a round of the dialogue and all after it aside, and open and return another version of it with these words.

    They count as said when the round's own were, unless `said_at` tells another time.
    """
    session_lock(round.session_id)
    space_lock(round.space_id)
    first_id = round.version_of_id or round.pk
    Round.objects.filter(pk=round.pk).update(version_of=first_id)
    asked = round.turns.filter(role=Role.USER).defer("search").get()
    aside_put(round)
    opened = Round.objects.create(
        session_id=round.session_id, space_id=round.space_id, index=round.index, version_of_id=first_id
    )
    said_at = said_at or asked.said_at
    turn_append(opened, speaker=asked.speaker, role=Role.USER, text=text, said_at=said_at, key="")
    return opened


@transaction.atomic
def version_return(*, round: Round, instead_of: Round) -> None:
    """Let a version that is put aside, with what followed it, stand in the dialogue instead of another of the same round."""
    session = session_lock(round.session_id)
    space_lock(round.space_id)
    aside_put(instead_of)
    returning = Round.everything.filter(aside_with=round)
    ids = list(returning.values_list("pk", flat=True))
    if session.is_remembered:
        returning.filter(is_wish=False).update(maintenance=MaintenanceState.PENDING)
        maintenance_enqueue(space_id=round.space_id)
    returning.update(aside_with=None)
    Turn.everything.filter(round__in=ids).update(is_aside=False)


def aside_put(round: Round) -> None:
    """Put a round of the dialogue aside with all after it, in the caller's transaction, which holds session and space.

    Traces of other dialogues that rest on what these rounds taught lose their words, as after forgetting: what is taught
    again has other ids, by which a later forgetting would not find them.
    """
    leaving = Round.objects.filter(session=round.session_id, index__gte=round.index)
    ids = list(leaving.values_list("pk", flat=True))
    state_retract(round=round)
    events.rounds_leaving.send(sender=Round, round_ids=ids)
    gone = rounds_unlearn(round.space_id, ids)
    traces_forget(space_id=round.space_id, triples=gone.triples, sentences=gone.sentences, but_of=ids)
    leaving.update(aside_with=round.pk, maintenance=MaintenanceState.SKIPPED, **UNLEARNT)
    Turn.objects.filter(round__in=ids).update(is_aside=True)
