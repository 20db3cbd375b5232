"""Generating a reply: claimed by one worker, streamed as numbered events, always brought to a terminal state."""

import logging
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from conversations import bootstrap
from conversations.core.errors import ConversationError
from conversations.core.responders.deltas import NOTHING_SAID, with_answers
from conversations.core.types import Changed, Delta, Grounds, Query, ReplyPart, Stage
from conversations.models import Reply, ReplyState
from conversations.services.production import Production
from conversations.services.queue import look_promise, next_claim, reply_claim
from conversations.services.stage_times import StageTimes
from conversations.services.trace import Trace, stop_topic
from conversations.services.wishes import wish_parts
from memory.adapters.deadlocks import is_victim
from memory.adapters.outages import is_away
from memory.adapters.precedence import precedence
from memory.adapters.row_security.scope import everything, spaces
from memory.adapters.wakeups import LOOK_S, listener, wait_until
from memory.core.errors import MemoryCoreError
from memory.core.types import Role
from memory.models import MaintenanceState, Round, Turn
from memory.services.hearing import others_unfinished
from memory.services.leases import LeaseLost
from memory.services.maintenance import learnt_topic
from memory.services.round_words import said_in

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
HISTORY_TURNS = 20
LAST_STEPS_S = 0.2
RUN_S = 5.0


def replies_run(*, seconds: float = RUN_S) -> int:
    """Write replies, the next one first, until none is waiting that may be written now; return how many were written.

    After `seconds` another task is asked to go on, so that a worker that is to stop need not wait for the whole queue.
    """
    count, until = 0, time.monotonic() + seconds
    while (trace := next_begin()) is not None:
        reply_write(trace)
        count += 1
        if time.monotonic() >= until:
            look_promise()
            break
    return count


def next_begin() -> Trace | None:
    """Claim the next reply and look at what it answers, in one transaction; None where no reply may be written now."""
    with everything(), transaction.atomic():
        trace = next_claim()
        if trace is not None:
            with suppress(ConversationError):  # told by `generate`, which looks again
                trace.query = learnt_query(trace.reply)
            trace.goes_first = not others_unfinished(trace.reply.round).exists()
    return trace


def reply_run(*, reply_id: int) -> None:
    """Write a reply unless it is finished, another worker has it, or an earlier one of its conversation is not done."""
    with everything():
        trace = reply_claim(reply_id)
    if trace is not None:
        reply_write(trace)


def reply_write(trace: Trace) -> None:
    """Write a claimed reply, within the space of its conversation."""
    if not trace.goes_first:
        precedence.give_way()
    within = spaces(trace.reply.conversation.space_id)
    with within, trace.lease.kept_alive(), precedence.going_first() if trace.goes_first else nullcontext():
        try:
            generate(trace.reply, trace)
        except LeaseLost:
            logger.warning("Reply %s was deleted, or went on in another worker.", trace.reply.pk)


def generate(reply: Reply, trace: Trace) -> None:
    """Bring a claimed reply to its end, whatever happens on the way."""
    times = StageTimes()
    try:
        if reply.attempt > 1:
            trace.restart()
        trace.add("state", {"state": ReplyState.RUNNING})
        if reply.attempt > MAX_ATTEMPTS:
            return trace.finish(
                ReplyState.FAILED,
                error=f"The server was interrupted {MAX_ATTEMPTS} times while it wrote this reply. Your message is kept.",
            )
        if reply.stop_requested:
            return trace.finish(ReplyState.STOPPED)
        query = query_once_learnt(reply, trace)
        responder = bootstrap.responder(reply.responder, engine=reply.engine, space_id=reply.conversation.space_id)
        if reply.instruction:
            responder = bootstrap.instructed(responder, reply.instruction)
        parts = wish_parts(query, reply, lease=trace.lease) or responder.reply(query)
        stopped = stream_parts(with_answers(parts), trace, times)
        if stopped:
            trace.finish(ReplyState.STOPPED)
        elif trace.has_words:
            trace.finish(ReplyState.DONE)
        else:
            trace.finish(ReplyState.FAILED, error=NOTHING_SAID)
    except (MemoryCoreError, ConversationError) as error:
        trace.finish(ReplyState.FAILED, error=str(error))
    except LeaseLost:
        raise
    except Exception as error:
        if is_away(error) or is_victim(error):
            raise  # another worker writes it anew
        logger.exception("Reply %s failed.", reply.pk)
        trace.finish(
            ReplyState.FAILED,
            error="Something went wrong while the reply was written. Your message is kept; try again.",
        )
    finally:
        if reply.finished_at is not None:
            times.end(reply)


def stream_parts(parts: Iterator[ReplyPart | Changed], trace: Trace, times: StageTimes) -> bool:
    """Store the parts as they come; True where the person stopped the reply before its end."""
    with Production(parts) as production, listener().calling(stop_topic(trace.reply.pk), production.interrupt):
        while True:
            try:
                part = production.next(within_s=trace.flush_within_s if trace.has_more else LOOK_S)
            except TimeoutError:
                if trace.flush():
                    break
                continue
            times.see(part)
            match part:
                case None:
                    return False
                case Grounds():
                    trace.ground(part)
                case Changed():
                    trace.change(part)
                case Delta():
                    trace.write(part.text)
                case _:
                    trace.step(*part.steps())
            if trace.flush_is_due and trace.flush():
                break
        trace.step(*production.last_steps(within_s=LAST_STEPS_S))
        return True


@transaction.atomic(savepoint=False)
def query_of(reply: Reply) -> Query:
    """Return the message that a reply answers, with the latest turns before it."""
    asked = Turn.objects.filter(round=reply.round, role=Role.USER).order_by("index").first()
    if asked is None:
        raise ConversationError("The message that this reply answers was deleted.")
    before = Turn.objects.filter(session_id=asked.session_id, index__lt=asked.index).order_by("-index")
    return Query(
        text=asked.text,
        speaker=asked.speaker,
        asked_at=timezone.localtime(asked.said_at),
        history=tuple(said_in(turn) for turn in reversed(before[:HISTORY_TURNS])),
        is_remembered=reply.round.session.is_remembered,
        round_id=reply.round_id,
    )


def memory_is_behind(round: Round) -> bool:
    """True while an earlier round of the session is not learnt yet."""
    return Round.objects.filter(
        session_id=round.session_id,
        index__lt=round.index,
        maintenance__in=(MaintenanceState.PENDING, MaintenanceState.RUNNING),
    ).exists()


def learnt_query(reply: Reply) -> Query | None:
    """Return the message that a reply answers, None while the rounds before it are not learnt."""
    return None if memory_is_behind(reply.round) else query_of(reply)


def query_once_learnt(reply: Reply, trace: Trace) -> Query:
    """Return the message that a reply answers once the rounds before it are learnt, or the wait limit is over."""
    is_told = False

    def is_learnt() -> bool:
        nonlocal is_told
        with transaction.atomic() if is_told else trace.lease.committing():
            trace.query = learnt_query(reply)
            if trace.query is None and not is_told:
                trace.step(Stage("memory", "finishing what you said before"))
                trace.record_gathered()
                is_told = True
        return trace.query is not None

    if trace.query is None:
        wait_until(is_learnt, topic=learnt_topic(reply.round), within_s=settings.DSMART_MEMORY_WAIT_S)
    return trace.query or query_of(reply)
