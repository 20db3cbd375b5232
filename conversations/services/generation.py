"""Generating a reply: claimed by one worker, streamed as numbered events, always brought to a terminal state."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from conversations import bootstrap
from conversations.core.errors import ConversationError
from conversations.core.types import Delta, Grounds, Query, Reasoning, ReplyPart, Stage
from conversations.models import Reply, ReplyState
from conversations.services.production import Production
from conversations.services.trace import LeaseLost, Trace, lease_end, unfinished
from memory.core.errors import MemoryCoreError
from memory.core.types import Role, Utterance
from memory.models import MaintenanceState, Round, Turn
from memory.services.leases import kept_alive

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
HISTORY_TURNS = 20
MEMORY_POLL_S = 0.01
NOTHING_SAID = "The model ended its reply without a word. Try again, or choose another model or way of answering."
STOP_POLL_S = 0.2


def reply_run(*, reply_id: int) -> None:
    """Generate a reply unless it is finished, another worker has it, or an earlier one of its conversation is not done."""
    token = uuid.uuid4()
    reply = reply_claim(reply_id, token)
    if reply is None:
        return
    trace = Trace(reply, token)
    with kept_alive(trace.prolong):
        try:
            generate(reply, trace)
        except LeaseLost:
            logger.warning("Reply %s went on in another worker.", reply.pk)


def generate(reply: Reply, trace: Trace) -> None:
    """Bring a claimed reply to its end, whatever happens on the way."""
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
        if memory_is_behind(reply.round):
            trace.add("stage", {"name": "memory", "detail": "finishing what you said before"})
            memory_wait(reply.round)
        responder = bootstrap.responder(reply.responder, engine=reply.engine, space_id=reply.conversation.space_id)
        stopped = stream_parts(responder.reply(query_of(reply)), trace)
        if stopped:
            trace.finish(ReplyState.STOPPED)
        elif trace.text.strip():
            trace.finish(ReplyState.DONE)
        else:
            trace.finish(ReplyState.FAILED, error=NOTHING_SAID)
    except (MemoryCoreError, ConversationError) as error:
        trace.finish(ReplyState.FAILED, error=str(error))
    except LeaseLost:
        raise
    except Exception:
        logger.exception("Reply %s failed.", reply.pk)
        trace.finish(
            ReplyState.FAILED,
            error="Something went wrong while the reply was written. Your message is kept; try again.",
        )


def stream_parts(parts: Iterator[ReplyPart], trace: Trace) -> bool:
    """Store the parts as they come; True where the person stopped the reply before its end."""
    with Production(parts) as production:
        while True:
            try:
                part = production.next(within_s=STOP_POLL_S)
            except TimeoutError:
                if trace.flush():
                    return True
                continue
            match part:
                case None:
                    return trace.flush()
                case Stage():
                    trace.add("stage", {"name": part.name, "detail": part.detail})
                case Grounds():
                    trace.ground(part)
                case Reasoning():
                    trace.reason(part)
                case Delta():
                    trace.write(part.text)
            if trace.flush_is_due and trace.flush():
                return True


def reply_claim(reply_id: int, token: uuid.UUID) -> Reply | None:
    """Return the reply with this worker's lease on it, or None where it is not this worker's turn."""
    with transaction.atomic():
        reply = (
            Reply.objects.select_for_update(of=("self",))
            .select_related("conversation__owner", "round__session")
            .filter(pk=reply_id)
            .first()
        )
        if reply is None or reply.is_terminal:
            return None
        is_taken = reply.state == ReplyState.RUNNING and reply.lease_until and reply.lease_until > timezone.now()
        has_earlier = unfinished(reply.conversation_id).filter(pk__lt=reply.pk).exists()
        if is_taken or (has_earlier and not reply.stop_requested):
            return None
        reply.state = ReplyState.RUNNING
        reply.attempt += 1
        reply.lease_token, reply.lease_until = token, lease_end()
        reply.save(update_fields=["state", "attempt", "lease_token", "lease_until"])
        return reply


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
        history=tuple(
            Utterance(
                speaker=turn.speaker, role=Role(turn.role), text=turn.text, said_at=timezone.localtime(turn.said_at)
            )
            for turn in reversed(before[:HISTORY_TURNS])
        ),
        is_remembered=reply.round.session.is_remembered,
    )


def memory_is_behind(round: Round) -> bool:
    """True while an earlier round of the session is not learnt yet."""
    return Round.objects.filter(
        session_id=round.session_id,
        index__lt=round.index,
        maintenance__in=(MaintenanceState.PENDING, MaintenanceState.RUNNING),
    ).exists()


def memory_wait(round: Round) -> None:
    """Wait until the earlier rounds are learnt, so that a reply knows what was just said, or the wait limit is over."""
    give_up = time.monotonic() + settings.DSMART_MEMORY_WAIT_S
    while memory_is_behind(round) and time.monotonic() < give_up:
        time.sleep(MEMORY_POLL_S)
