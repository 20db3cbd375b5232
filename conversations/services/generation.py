"""Generating a reply: claimed by one worker, streamed as numbered events, always brought to a terminal state."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from conversations import bootstrap, events
from conversations.core.errors import ConversationError
from conversations.core.types import Delta, Grounds, Query, ReplyPart, Stage
from conversations.models import Reply, ReplySentence, ReplyState, ReplyTriple
from conversations.services.messages import reply_enqueue
from memory.core.errors import MemoryCoreError
from memory.core.types import Role, Utterance
from memory.models import MaintenanceState, Round, Turn
from memory.services import round_add_turn, round_complete
from memory.services.leases import kept_alive

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 3
FLUSH_S = 0.04
HISTORY_TURNS = 20
MEMORY_POLL_S = 0.01
ASSISTANT = "assistant"


class LeaseLost(Exception):
    """Another worker took the reply over. What this one had not stored is dropped."""


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
            trace.add("reset", {})
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
        trace.finish(ReplyState.STOPPED if stopped else ReplyState.DONE)
    except (MemoryCoreError, ConversationError) as error:
        trace.finish(ReplyState.FAILED, error=str(error))
    except LeaseLost:
        raise
    except Exception:
        logger.exception("Reply %s failed.", reply.pk)
        trace.finish(
            ReplyState.FAILED, error="Something went wrong while the reply was written. Your message is kept; try again."
        )


def stream_parts(parts: Iterator[ReplyPart], trace: Trace) -> bool:
    """Store the parts as they come; True where the person stopped the reply before its end."""
    with closing(parts):  # type: ignore[type-var]
        for part in parts:
            match part:
                case Stage():
                    trace.add("stage", {"name": part.name, "detail": part.detail})
                case Grounds():
                    trace.ground(part)
                case Delta():
                    trace.write(part.text)
            if trace.flush_is_due and trace.flush():
                return True
    return trace.flush()


@dataclass
class Trace:
    """The only writer of a running reply: numbers its events, gathers text between flushes, ends it."""

    reply: Reply
    token: uuid.UUID
    number: int = 0
    text: str = ""
    pending: str = ""
    pieces: int = 0
    first_token_ms: int | None = None
    flushed_at: float = field(default=0.0)

    def __post_init__(self) -> None:
        self.number = self.reply.events.aggregate(last=Max("number"))["last"] or 0

    @property
    def flush_is_due(self) -> bool:
        is_first = bool(self.pending) and not self.text
        return is_first or time.monotonic() - self.flushed_at >= FLUSH_S

    def add(self, kind: str, data: dict[str, object]) -> None:
        with transaction.atomic():
            self.check_lease()
            self.number += 1
            events.record(self.reply, number=self.number, kind=kind, data=data)

    def write(self, text: str) -> None:
        if self.first_token_ms is None:
            self.first_token_ms = milliseconds_since(self.reply.created_at)
        self.pieces += 1
        self.pending += text

    def flush(self) -> bool:
        """Store the gathered text as one event; True where the person asked for the end of the reply."""
        if self.pending:
            self.add("delta", {"text": self.pending})
            self.text, self.pending = self.text + self.pending, ""
        self.flushed_at = time.monotonic()
        return Reply.objects.filter(pk=self.reply.pk, stop_requested=True).exists()

    def ground(self, grounds: Grounds) -> None:
        """Store what the reply rests on and show it."""
        with transaction.atomic():
            self.check_lease()
            ReplyTriple.objects.filter(reply=self.reply).delete()
            ReplySentence.objects.filter(reply=self.reply).delete()
            ReplyTriple.objects.bulk_create(
                ReplyTriple(reply=self.reply, triple_id=item.triple.id, rank=rank, why=item.why[:200])
                for rank, item in enumerate(grounds.triples)
            )
            ReplySentence.objects.bulk_create(
                ReplySentence(reply=self.reply, sentence_id=item.sentence.id, rank=rank, why=item.why[:200])
                for rank, item in enumerate(grounds.sentences)
            )
            self.number += 1
            events.record(self.reply, number=self.number, kind="grounds", data=grounds_data(grounds))

    def finish(self, state: ReplyState, *, error: str = "") -> None:
        """End the reply, write its turn down, queue the round's maintenance and the conversation's next reply."""
        reply = self.reply
        self.text, self.pending = self.text + self.pending, ""
        has_model = self.pieces and bootstrap.has_language_model(reply.engine)
        with transaction.atomic():
            self.check_lease()
            reply.state, reply.text, reply.error = state, self.text.strip(), error
            reply.first_token_ms, reply.total_ms = self.first_token_ms, milliseconds_since(reply.created_at)
            reply.tokens = self.pieces if has_model else None
            reply.finished_at = timezone.now()
            reply.lease_token = reply.lease_until = None
            reply.save()
            if reply.text:
                round_add_turn(
                    round=reply.round,
                    speaker=ASSISTANT,
                    role=Role.ASSISTANT,
                    text=reply.text,
                    said_at=reply.finished_at,
                    key=f"reply-{reply.pk}",
                )
            round_complete(round=reply.round, engine=reply.engine)
            following = unfinished(reply.conversation_id).exclude(pk=reply.pk).order_by("id").first()
            if following is not None:
                reply_enqueue(reply_id=following.pk)
            self.number += 1
            ending = {
                "state": state,
                "error": error,
                "first_token_ms": reply.first_token_ms,
                "total_ms": reply.total_ms,
                "tokens": reply.tokens,
            }
            events.record(reply, number=self.number, kind="state", data=ending)

    def prolong(self) -> bool:
        return Reply.objects.filter(pk=self.reply.pk, lease_token=self.token).update(lease_until=lease_end()) > 0

    def check_lease(self) -> None:
        if not Reply.objects.select_for_update().filter(pk=self.reply.pk, lease_token=self.token).exists():
            raise LeaseLost


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
        asked_at=asked.said_at,
        history=tuple(
            Utterance(speaker=turn.speaker, role=Role(turn.role), text=turn.text, said_at=turn.said_at)
            for turn in reversed(before[:HISTORY_TURNS])
        ),
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


def grounds_data(grounds: Grounds) -> dict[str, object]:
    return {
        "triples": [
            {
                "id": item.triple.id,
                "text": item.triple.source.text,
                "why": item.why,
                "sentence_id": item.triple.source.id,
            }
            for item in grounds.triples
        ],
        "sentences": [
            {
                "id": item.sentence.id,
                "text": item.sentence.text,
                "why": item.why,
                "speaker": item.sentence.speaker,
                "said_at": item.sentence.said_at.isoformat(),
            }
            for item in grounds.sentences
        ],
    }


def unfinished(conversation_id: int) -> QuerySet[Reply]:
    return Reply.objects.filter(
        Q(state=ReplyState.QUEUED) | Q(state=ReplyState.RUNNING), conversation_id=conversation_id
    )


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.DSMART_LEASE_S)


def milliseconds_since(moment: datetime) -> int:
    return max(0, round((timezone.now() - moment).total_seconds() * 1000))
