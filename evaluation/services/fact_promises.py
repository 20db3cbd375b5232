"""Queues checks of replies: in the transaction that ends a round whose conversation asks for it, or on demand.

And takes them back where words are forgotten.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from evaluation.core.reply_facts.types import GroundKind
from evaluation.models import CheckState, FactCheck, FactGround
from evaluation.services.score_promises import ENDED, ROWS_A_BATCH, SCORE_QUEUE, claims_lock, reply_turns
from memory import bootstrap
from memory.bootstrap.roles import VERIFY_FACTS
from memory.models import OutboxRecord, SentenceRecord, Space, TripleRecord, Turn

CHECK_TASK = "evaluation.check_facts"
# The advisory lock of claims: "fact" in ASCII.
CHECKS_LOCK = 0x66616374


def checks_promise(*, round_id: int) -> int:
    """Queue, in the caller's transaction, the checks of a round's replies where its conversation asks for them.

    A turn that has a check keeps it. Returns the number of new ones.
    """
    turns = reply_turns().filter(round=round_id, session__conversation__checks_facts=True)
    return rows_promise(turns.filter(~Exists(FactCheck.objects.filter(turn=OuterRef("pk")))))


@transaction.atomic
def check_ask(*, turn: Turn) -> None:
    """Queue the check of one turn, in place of one that failed; one that waits or has ended stays."""
    FactCheck.objects.filter(turn=turn, state=CheckState.FAILED).delete()
    rows_promise(reply_turns().filter(~Exists(FactCheck.objects.filter(turn=OuterRef("pk"))), pk=turn.pk))


@transaction.atomic
def checks_catch_up(*, space: Space, conversation_id: int | None = None) -> int:
    """Queue checks of the replies of completed rounds that their engine's verifier has not checked; return their number.

    Checks by other verifiers stay.
    """
    turns = reply_turns().filter(space=space, round__maintenance__in=ENDED)
    if conversation_id is not None:
        turns = turns.filter(session__conversation=conversation_id)
    FactCheck.objects.filter(turn__in=turns, state=CheckState.FAILED).delete()
    count = 0
    for name in set(turns.order_by().values_list("round__engine", flat=True).distinct()):
        verifier = bootstrap.engine(bootstrap.still_served(name)).player(VERIFY_FACTS).name
        settled = FactCheck.objects.filter(Q(verifier=verifier) | Q(state=CheckState.PENDING), turn=OuterRef("pk"))
        count += rows_promise(turns.filter(~Exists(settled), round__engine=name))
    return count


def rows_promise(turns: QuerySet[Turn]) -> int:
    rows = [
        FactCheck(turn_id=turn_id, space_id=space_id)
        for turn_id, space_id in turns.order_by("pk").values_list("pk", "space_id")
    ]
    if rows:
        claims_lock(is_shared=True, key=CHECKS_LOCK)
        are_waiting = FactCheck.objects.filter(state=CheckState.PENDING).exists()
        FactCheck.objects.bulk_create(rows, ROWS_A_BATCH, ignore_conflicts=True)
        if not are_waiting:
            checks_enqueue()
    return len(rows)


def checks_enqueue() -> None:
    OutboxRecord.objects.create(task=CHECK_TASK, arguments={}, queue=SCORE_QUEUE)


def facts_forget(*, turn_id: int) -> None:
    """Delete, in the caller's transaction, the checks of a turn whose words are being forgotten, and what it decided."""
    FactCheck.objects.filter(turn=turn_id).delete()
    FactGround.objects.filter(turn=turn_id).delete()


def grounds_keep(round_ids: Collection[int]) -> None:
    """Let what checks were held against refer to its turn, in the caller's transaction, before its rows are put aside.

    The turn's words stay, and take the checks along once they are forgotten.
    """
    of_triple = TripleRecord.objects.filter(pk=OuterRef("triple")).values("sentence__turn")
    of_sentence = SentenceRecord.objects.filter(pk=OuterRef("sentence")).values("turn")
    for said, turn in (
        ({"triple__round__in": round_ids}, of_triple),
        ({"sentence__turn__round__in": round_ids}, of_sentence),
    ):
        kept = {"kind": GroundKind.TURN.value, "triple": None, "sentence": None}
        FactGround.objects.filter(**said).update(turn=Subquery(turn), **kept)
