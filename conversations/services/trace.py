"""The trace of a running reply: its numbered events, its text so far and what it rests on, written by one worker."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet, Value
from django.db.models.functions import JSONObject
from django.utils import timezone

from conversations import bootstrap, events
from conversations.core.types import Grounds, Reasoning
from conversations.models import Reply, ReplyEvent, ReplySentence, ReplyState, ReplyTriple
from conversations.services.messages import reply_enqueue
from conversations.services.reasoning import GrowingTrees, trees_restart
from memory.core.types import Role
from memory.models import SentenceRecord, TripleRecord
from memory.services import round_add_turn, round_complete

FLUSH_S = 0.04
ASSISTANT = "assistant"


class LeaseLost(Exception):
    """Another worker took the reply over. What this one had not stored is dropped."""


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
    flushed_at: float = 0.0
    grounds: Grounds = field(default_factory=Grounds)
    growing: GrowingTrees = field(init=False)

    def __post_init__(self) -> None:
        self.growing = GrowingTrees(self.reply)
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
        """Store the gathered text as one event; True where the person asked for the end of the reply.

        Raises `LeaseLost` where the reply is gone or another worker's.
        """
        if self.pending:
            self.add("delta", {"text": self.pending})
            self.text, self.pending = self.text + self.pending, ""
        self.flushed_at = time.monotonic()
        mine = Reply.objects.filter(pk=self.reply.pk, lease_token=self.token)
        is_stopping = mine.values_list("stop_requested", flat=True).first()
        if is_stopping is None:
            raise LeaseLost
        return is_stopping

    def ground(self, more: Grounds) -> None:
        """Store what the reply rests on, with what it rested on before, and show it."""
        with transaction.atomic():
            self.check_lease()
            grounds = self.grounds = still_there(merged(self.grounds, more))
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

    def reason(self, more: Reasoning) -> None:
        """Store the next piece of a reasoning tree of the reply, and tell that it is there."""
        with transaction.atomic():
            self.check_lease()
            data = self.growing.store(more.part)
            self.number += 1
            events.record(self.reply, number=self.number, kind="reasoning", data=data)

    def restart(self) -> None:
        """Begin a reply anew that another worker did not end."""
        with transaction.atomic():
            self.check_lease()
            trees_restart(reply=self.reply)
            self.number += 1
            events.record(self.reply, number=self.number, kind="reset", data={})

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
            details_remove(reply)
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
            ending: dict[str, object] = {
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


def merged(first: Grounds, second: Grounds) -> Grounds:
    """Return the grounds of both, each triple and sentence once, in the order in which they came."""
    triples = {item.triple.id: item for item in reversed((*first.triples, *second.triples))}
    sentences = {item.sentence.id: item for item in reversed((*first.sentences, *second.sentences))}
    return Grounds(tuple(reversed(triples.values())), tuple(reversed(sentences.values())))


def still_there(grounds: Grounds) -> Grounds:
    """Return the grounds without what was forgotten since the responder read it."""
    triples = TripleRecord.objects.only("pk").in_bulk([item.triple.id for item in grounds.triples])
    sentences = SentenceRecord.objects.only("pk").in_bulk([item.sentence.id for item in grounds.sentences])
    return Grounds(
        tuple(item for item in grounds.triples if item.triple.id in triples),
        tuple(item for item in grounds.sentences if item.sentence.id in sentences),
    )


def grounds_data(grounds: Grounds) -> dict[str, object]:
    """Return the grounds as an event carries them: by number, because a copy of their words would outlive forgetting."""
    return {
        "triples": [
            {"id": item.triple.id, "why": item.why, "sentence_id": item.triple.source.id} for item in grounds.triples
        ],
        "sentences": [{"id": item.sentence.id, "why": item.why} for item in grounds.sentences],
    }


def details_remove(reply: Reply) -> None:
    """Empty the lines of progress of a reply that ends: they name what was looked at, and would outlive its forgetting."""
    stages = ReplyEvent.objects.filter(reply=reply, kind="stage")
    stages.update(data=JSONObject(name=F("data__name"), detail=Value("")))


def unfinished(conversation_id: int) -> QuerySet[Reply]:
    return Reply.objects.filter(
        Q(state=ReplyState.QUEUED) | Q(state=ReplyState.RUNNING), conversation_id=conversation_id
    )


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.DSMART_LEASE_S)


def milliseconds_since(moment: datetime) -> int:
    return max(0, round((timezone.now() - moment).total_seconds() * 1000))
