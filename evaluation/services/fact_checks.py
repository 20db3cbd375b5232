"""Checks what replies state: claims a check by a lease, asks the models outside any transaction, stores facts and trace.

Under the lock of the space all grounds are looked for again before anything is stored: where one was forgotten or the reply
changed meanwhile, the check waits for another attempt. The newest replies come first.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import IntegrityError, OperationalError, transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone

from conversations.core.responders.acknowledgement import LATER, NO_FACT, NOT_REMEMBERED
from conversations.core.tracing.fact_check import FactChecked
from conversations.events import reply_checked
from conversations.models import Reply, ReplyTrace
from conversations.models.reply import turn_key
from conversations.services.trace import conversation_keep, new_trace
from evaluation import bootstrap
from evaluation.core.reply_facts.checking import check_reply
from evaluation.core.reply_facts.types import CheckedFact, CheckedReply, FoundGround, GroundKind, GroundSource
from evaluation.models import CheckState, FactCheck, FactGround, FactRecord
from evaluation.services.fact_grounds import SaidGrounds, TripleGrounds, stored_reply
from evaluation.services.fact_promises import CHECKS_LOCK, checks_enqueue
from evaluation.services.score_promises import claims_lock
from evaluation.services.scores import MAX_ATTEMPTS, is_left, reply_wait
from memory import bootstrap as memory_bootstrap
from memory import events
from memory.adapters.outages import is_away
from memory.adapters.precedence import precedence
from memory.adapters.row_security.scope import everything, spaces
from memory.bootstrap.roles import SPLIT_FACTS, VERIFY_FACTS
from memory.core.errors import MemoryCoreError
from memory.core.tracing import Numbering, TraceStep, recording
from memory.models import KnowledgeBaseRecord, SentenceRecord, Space, StepRecord, TripleRecord, Turn
from memory.services.leases import Lease, is_free, lease_take
from memory.services.spaces import space_lock
from memory.services.tracing import TraceWriter

logger = logging.getLogger(__name__)

RUN_S = 60.0
NAME_LENGTH = 200
# What the built-in engine says of its own work.
OF_ITS_OWN_WORK = (LATER, NO_FACT, NOT_REMEMBERED)
WISH = "It tells what was done about a wish."
OWN_WORK = "It tells what I did with your words."
WENT_WRONG = "Something went wrong while this reply was checked. Its words are kept. Try again."


NOTHING = CheckedReply(())


@dataclass(frozen=True)
class Outcome:
    """How a check ended: what was found, or why nothing was, with the names of the players and the calls that it took."""

    state: CheckState
    found: CheckedReply = NOTHING
    why: str = ""
    verifier: str = ""
    splitter: str = ""
    calls: tuple[TraceStep, ...] = ()


def checks_run(*, seconds: float = RUN_S, on_check: Callable[[], object] = lambda: None) -> int:
    """Work through queued checks, newest first, and return how many ended; after `seconds` the rest is another task's."""
    give_up = time.monotonic() + seconds
    ended = 0
    while (claimed := check_claim()) is not None:
        row, lease = claimed
        with spaces(row.space_id), lease.kept_alive():
            reply_wait()
            precedence.give_way()
            if check_run(row, lease):
                ended += 1
                on_check()
        if time.monotonic() >= give_up and is_left(unclaimed()):
            with transaction.atomic():
                checks_enqueue()
            break
    return ended


def unclaimed() -> QuerySet[FactCheck]:
    return FactCheck.objects.filter(is_free(), state=CheckState.PENDING)


@everything()
@transaction.atomic
def check_claim() -> tuple[FactCheck, Lease] | None:
    """Claim the newest free check for this worker; None where there is nothing to do."""
    claims_lock(key=CHECKS_LOCK)
    free = unclaimed().select_for_update(skip_locked=True).order_by("-pk").values_list("pk", flat=True)
    promised = FactCheck.objects.filter(pk__in=list(free[:1]), state=CheckState.PENDING)
    lease = lease_take(promised, attempts=F("attempts") + 1)
    if lease is None:
        return None
    return lease.held.select_related("turn__round").defer("turn__search").get(), lease


def check_run(row: FactCheck, lease: Lease) -> bool:
    """Check one reply and store what comes of it; False where it is gone, changed, or is another worker's by now."""
    began = time.perf_counter()
    outcome = outcome_of(row)
    milliseconds = round((time.perf_counter() - began) * 1000)
    try:
        with transaction.atomic():
            return outcome_store(row, lease, outcome, milliseconds)
    except (Space.DoesNotExist, OperationalError):
        # The space is being deleted. Where another worker was given way to, the lease runs out, and the check begins anew.
        logger.warning("The check of turn %s could not be stored.", row.turn_id, exc_info=True)
        return False
    except IntegrityError:
        # The same verifier has checked the turn already, under another promise.
        lease.held.filter(pk=row.pk).delete()
        return False


def outcome_of(row: FactCheck) -> Outcome:
    if row.attempts > MAX_ATTEMPTS:
        return Outcome(CheckState.FAILED, why=f"The check was interrupted {MAX_ATTEMPTS} times. Try again.")
    calls: list[TraceStep] = []
    try:
        engine = memory_bootstrap.engine(memory_bootstrap.still_served(row.turn.round.engine))
        splitter, verifier = engine.player(SPLIT_FACTS), engine.player(VERIFY_FACTS)
        checked = partial(
            Outcome, CheckState.CHECKED, verifier=verifier.name[:NAME_LENGTH], splitter=splitter.name[:NAME_LENGTH]
        )
        if row.turn.round.is_wish or row.turn.text.strip() in OF_ITS_OWN_WORK:
            return checked(why=WISH if row.turn.round.is_wish else OWN_WORK)
        reply = stored_reply(row.turn)
        own: tuple[GroundSource, ...] = (TripleGrounds(reply), SaidGrounds(reply))
        with recording(calls.extend):
            found = check_reply(
                reply.to_check,
                splitter=splitter,
                verifier=verifier,
                sources=[*own, *bootstrap.outside_sources(row.space_id)],
                parser=memory_bootstrap.parser(),
            )
    except MemoryCoreError as error:
        return Outcome(CheckState.FAILED, why=str(error), calls=tuple(calls))
    except Exception as error:
        if is_away(error):
            raise
        logger.exception("The reply of turn %s could not be checked.", row.turn_id)
        return Outcome(CheckState.FAILED, why=WENT_WRONG, calls=tuple(calls))
    return checked(found=found, calls=tuple(calls))


def outcome_store(row: FactCheck, lease: Lease, outcome: Outcome, milliseconds: int) -> bool:
    """Store an outcome in the caller's transaction. Rows are locked in the order in which whoever forgets locks them."""
    reply = reply_of_turn(row.turn)
    if reply is not None:
        conversation_keep(reply.conversation_id)
    space_lock(row.space_id)
    held = lease.held.select_for_update(no_key=True).filter(pk=row.pk)
    if not held:
        return False
    if not is_as_it_was(row.turn, outcome.found.grounds):
        held.update(lease_token=None, lease_until=None)
        return False
    held.update(
        state=outcome.state,
        why=outcome.why,
        verifier=outcome.verifier,
        splitter=outcome.splitter,
        milliseconds=milliseconds,
        checked_at=timezone.now(),
        lease_token=None,
        lease_until=None,
    )
    grounds = FactGround.objects.bulk_create(ground_row(row, *placed) for placed in enumerate(outcome.found.grounds))
    FactRecord.objects.bulk_create(
        FactRecord(
            check_of=row,
            index=index,
            text=fact.text,
            start=fact.sentence.start,
            end=fact.sentence.end,
            verdict=fact.verdict,
            probability=fact.probability,
            ground=grounds[fact.ground] if fact.ground is not None else None,
        )
        for index, fact in enumerate(outcome.found.facts)
    )
    if reply is not None:
        trace_add(reply, outcome)
    space_id = row.space_id
    transaction.on_commit(lambda: events.memory_changed(space_id=space_id))
    return True


def is_as_it_was(turn: Turn, grounds: Sequence[FoundGround]) -> bool:
    """Return whether a reply and all that it was held against are still there, in the same words."""

    def ids(kind: GroundKind) -> set[int]:
        return {one.id for one in grounds if one.kind is kind and one.id is not None}

    turns = dict(Turn.objects.filter(pk__in={turn.pk, *ids(GroundKind.TURN)}).values_list("pk", "text"))
    triples, sentences = ids(GroundKind.TRIPLE), ids(GroundKind.SENTENCE)
    bases = {one.ground.base_id for one in grounds if one.ground.base_id is not None}
    return (
        turns.get(turn.pk) == turn.text
        and all(turns.get(one.id or 0, "").endswith(one.as_it_was) for one in grounds if one.kind is GroundKind.TURN)
        and TripleRecord.objects.filter(pk__in=triples).count() == len(triples)
        and SentenceRecord.objects.filter(pk__in=sentences).count() == len(sentences)
        and KnowledgeBaseRecord.objects.filter(pk__in=bases).count() == len(bases)
    )


def ground_row(row: FactCheck, rank: int, one: FoundGround) -> FactGround:
    return FactGround(
        check_of=row,
        rank=rank,
        kind=one.kind,
        triple_id=one.id if one.kind is GroundKind.TRIPLE else None,
        sentence_id=one.id if one.kind is GroundKind.SENTENCE else None,
        turn_id=one.id if one.kind is GroundKind.TURN else None,
        base_id=one.ground.base_id,
        title=one.ground.title[:300],
        speaker=one.ground.speaker[:120],
        words=one.as_it_was,
    )


def reply_of_turn(turn: Turn) -> Reply | None:
    """Return the reply that became a turn; None where the turn was brought in."""
    current = Reply.objects.filter(round=turn.round_id, is_current=True).select_related("conversation").first()
    return current if current is not None and turn.key == turn_key(current.pk) else None


def trace_add(reply: Reply, outcome: Outcome) -> None:
    """Add the check to the reply's trace, in place of an earlier one, and tell the open pages that it has ended."""
    trace = ReplyTrace.objects.filter(reply=reply).first() or new_trace(reply)
    StepRecord.objects.filter(trace=trace.pk, kind=FactChecked.kind).delete()
    last = StepRecord.objects.filter(trace=trace.pk).aggregate(last=Max("number"))["last"]
    told = [step_of(fact, outcome.found.grounds) for fact in outcome.found.facts]
    ended = [] if outcome.state == CheckState.FAILED else told or [FactChecked(why=outcome.why)]
    if steps := [*outcome.calls, *ended]:
        TraceWriter(trace, Numbering(last or 0)).store(steps)
    transaction.on_commit(lambda: reply_checked(conversation_id=reply.conversation_id, reply_id=reply.pk))


def step_of(fact: CheckedFact, grounds: Sequence[FoundGround]) -> FactChecked:
    ground = grounds[fact.ground] if fact.ground is not None else None
    row = (ground.id,) if ground is not None and ground.id is not None else ()
    return FactChecked(
        fact=fact.text,
        verdict=fact.verdict,
        probability=fact.probability,
        ground=ground.kind if ground is not None else "",
        words=ground.as_it_was if ground is not None and ground.ground.base_id is None else "",
        triples=row if ground is not None and ground.kind is GroundKind.TRIPLE else (),
        sentences=row if ground is not None and ground.kind is GroundKind.SENTENCE else (),
        of=len(grounds),
    )
