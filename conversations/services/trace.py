"""The trace of a running reply: its numbered events, its text so far and what it rests on, written by one worker."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from conversations import events
from conversations.core.tracing.stage import Stage
from conversations.core.types import Changed, Grounds, Query
from conversations.events import Happening
from conversations.models import Conversation, Reply, ReplyKnowledge, ReplySentence, ReplyState, ReplyTrace, ReplyTriple
from conversations.models.reply import turn_key
from memory.adapters.wakeups import wake
from memory.core.plain_text import has_words
from memory.core.tracing import TraceStep
from memory.core.types import Role
from memory.models import KnowledgeBaseRecord, SentenceRecord, TripleRecord
from memory.services import round_add_turn, round_complete
from memory.services.leases import Lease
from memory.services.tracing import TraceWriter

# What is gathered is stored after so long. The first words wait for no more than what comes along with them: a reply that is
# whole by then is stored at once.
FLUSH_S = 0.04
SOON_S = 0.005
ASSISTANT = "assistant"
REPLY_ENDED = "a reply ended"


Store = Callable[[], Happening]


@dataclass
class Trace:
    """The only writer of a running reply: numbers its events, gathers them between flushes, ends it.

    `query` is what it answers, where that could be told when it was claimed. Who has said nothing else that waits goes first.
    """

    reply: Reply
    lease: Lease
    number: int = 0
    text: str = ""
    pending: str = ""
    gathered: list[Store] = field(default_factory=list)
    first_token_ms: int | None = None
    flushed_at: float = 0.0
    due_at: float = 0.0
    grounds: Grounds = field(default_factory=Grounds)
    changed: Changed | None = None
    query: Query | None = None
    goes_first: bool = False
    steps: TraceWriter = field(init=False)

    def __post_init__(self) -> None:
        self.steps = TraceWriter(new_trace(self.reply))
        self.number = self.reply.events.aggregate(last=Max("number"))["last"] or 0

    @property
    def has_more(self) -> bool:
        """True while something is to be stored at the next flush."""
        return bool(self.pending or self.gathered)

    @property
    def has_words(self) -> bool:
        return has_words(self.text + self.pending)

    @property
    def is_wish(self) -> bool:
        """True where the message wished something of the memory."""
        return self.changed is not None or bool(self.reply.outcome)

    @property
    def flush_is_due(self) -> bool:
        return self.has_more and time.monotonic() >= self.due_at

    @property
    def flush_within_s(self) -> float:
        """In how many seconds the next flush is due."""
        return max(0.0, self.due_at - time.monotonic())

    def add(self, kind: str, data: dict[str, object]) -> None:
        self.gather(lambda: Happening(kind, data))

    def write(self, text: str) -> None:
        if self.first_token_ms is None:
            self.first_token_ms = milliseconds_since(self.reply.created_at)
        self.expect_flush(0.0 if self.text else SOON_S, is_first=not self.text)
        self.pending += text

    def ground(self, more: Grounds) -> None:
        """Store what the reply rests on, with what it rested on before, and show it."""
        self.gather(lambda: self.grounds_store(more))

    def change(self, changed: Changed) -> None:
        """Remember that the message wished something of the memory: it is kept, and teaches nothing."""
        self.changed = changed

    def step(self, *steps: TraceStep) -> None:
        """Store steps of the reply's trace, and tell that they are there: by their numbers, and in words where they pass."""
        if steps:
            self.gather(lambda: self.steps_store(steps))

    def restart(self) -> None:
        """Begin a reply anew that another worker did not end."""

        def store() -> Happening:
            ReplyTrace.objects.filter(reply=self.reply).delete()
            return Happening("reset", {})

        self.gather(store)

    def expect_flush(self, within_s: float, *, is_first: bool = False) -> None:
        """Let the next flush come in so many seconds, though not soon after the last one unless these are the first words."""
        due_at = max(time.monotonic() + within_s, 0.0 if is_first else self.flushed_at + FLUSH_S)
        self.due_at = min(self.due_at, due_at) if self.has_more else due_at

    def gather(self, store: Store) -> None:
        """Store something at the next flush, behind the text that was written before it."""
        self.expect_flush(FLUSH_S)
        self.gather_text()
        self.gathered.append(store)

    def gather_text(self) -> None:
        if self.pending:
            delta = Happening("delta", {"text": self.pending})
            self.gathered.append(lambda: delta)
            self.text, self.pending = self.text + self.pending, ""

    def flush(self) -> bool:
        """Store what was gathered, in one transaction; True where the person asked for the end of the reply.

        Raises `LeaseLost` where the reply is gone or another worker's.
        """
        self.gather_text()
        with self.lease.committing() as row:
            self.record_gathered()
        self.flushed_at = time.monotonic()
        return bool(row.stop_requested)

    def record_gathered(self) -> None:
        stores, self.gathered = self.gathered, []
        events.record_all(self.reply, [store() for store in stores], first=self.number + 1)
        self.number += len(stores)

    def steps_store(self, steps: Sequence[TraceStep]) -> Happening:
        numbers = self.steps.store(steps)
        kinds: list[object] = [*sorted({step.kind for step in steps})]
        return Happening("step", {"steps": numbers, "kinds": kinds}, progress_of(steps))

    def grounds_store(self, more: Grounds) -> Happening:
        grounds = self.grounds = still_there(self.grounds.with_more(more))
        ReplyTriple.objects.filter(reply=self.reply).delete()
        ReplySentence.objects.filter(reply=self.reply).delete()
        ReplyKnowledge.objects.filter(reply=self.reply).delete()
        ReplyTriple.objects.bulk_create(
            ReplyTriple(reply=self.reply, triple_id=item.triple.id, rank=rank, why=item.why[:200])
            for rank, item in enumerate(grounds.triples)
        )
        ReplySentence.objects.bulk_create(
            ReplySentence(reply=self.reply, sentence_id=item.sentence.id, rank=rank, why=item.why[:200])
            for rank, item in enumerate(grounds.sentences)
        )
        ReplyKnowledge.objects.bulk_create(
            ReplyKnowledge(
                reply=self.reply,
                base_id=item.triple.base_id,
                subject=item.triple.subject,
                relation=item.triple.relation,
                object=item.triple.object,
                rank=rank,
                why=item.why[:200],
            )
            for rank, item in enumerate(grounds.knowledge)
            if item.triple.base_id is not None
        )
        return Happening("grounds", grounds_data(grounds))

    def finish(self, state: ReplyState, *, error: str = "") -> None:
        """Store what was gathered, end the reply, write its turn down and queue the round's maintenance.

        Whoever posts a message locks the conversation too: it sees that the reply has ended, or this worker, which looks
        for the next reply afterwards, sees the message.
        """
        reply = self.reply
        self.gather_text()
        with transaction.atomic():
            conversation_lock(reply.conversation_id)
            self.lease.check()
            said = self.text.strip() if self.has_words else ""
            # What was changed is told whole, however the reply ends.
            reply.state, reply.text, reply.error = state, reply.outcome or said, error
            reply.first_token_ms, reply.total_ms = self.first_token_ms, milliseconds_since(reply.created_at)
            reply.finished_at = timezone.now()
            reply.lease_token = reply.lease_until = None
            if self.changed is not None:
                reply.edit_id = self.changed.edit_id
            ending: dict[str, object] = {
                "state": state,
                "error": error,
                "first_token_ms": reply.first_token_ms,
                "total_ms": reply.total_ms,
            }
            self.add("state", ending)
            self.record_gathered()
            reply.save()
            self.steps.close()
            if reply.text:
                round_add_turn(
                    round=reply.round,
                    speaker=ASSISTANT,
                    role=Role.ASSISTANT,
                    text=reply.text,
                    said_at=reply.finished_at,
                    key=turn_key(reply.pk),
                    is_generated=True,
                )
            round_complete(round=reply.round, engine=reply.engine, is_wish=self.is_wish)
            wake(REPLY_ENDED)


def stop_topic(reply_id: int) -> str:
    """Return what is called when somebody asks for the end of a reply."""
    return f"stop reply {reply_id}"


def conversation_lock(conversation_id: int) -> None:
    """Let the caller's transaction alone add replies to a conversation or end one. It comes before a lock of a reply."""
    Conversation.objects.select_for_update(no_key=True).filter(pk=conversation_id).values_list("pk").first()


def conversation_keep(conversation_id: int) -> None:
    """Let nobody delete a conversation, or take its last reply back, until the caller's transaction ends.

    It comes before the lock of the space. Unlike `conversation_lock` it lets a conversation be renamed meanwhile, as whoever
    forgets words does.
    """
    with connection.cursor() as cursor:
        cursor.execute("select 1 from conversations_conversation where id = %s for key share", [conversation_id])


def still_there(grounds: Grounds) -> Grounds:
    """Return the grounds without what was forgotten since the responder read it."""
    triples = TripleRecord.objects.only("pk").in_bulk([item.triple.id for item in grounds.triples])
    sentences = SentenceRecord.objects.only("pk").in_bulk([item.sentence.id for item in grounds.sentences])
    named = {item.triple.base_id for item in grounds.knowledge}
    bases = KnowledgeBaseRecord.objects.only("pk").in_bulk(named) if named else {}
    return Grounds(
        tuple(item for item in grounds.triples if item.triple.id in triples),
        tuple(item for item in grounds.sentences if item.sentence.id in sentences),
        tuple(item for item in grounds.knowledge if item.triple.base_id in bases),
    )


def grounds_data(grounds: Grounds) -> dict[str, object]:
    """Return the grounds as an event carries them: by number, because a copy of their words would outlive forgetting."""
    return {
        "triples": [
            {"id": item.triple.id, "why": item.why, "sentence_id": item.triple.source.id} for item in grounds.triples
        ],
        "sentences": [{"id": item.sentence.id, "why": item.why} for item in grounds.sentences],
        "knowledge": [{"base_id": item.triple.base_id, "why": item.why} for item in grounds.knowledge],
    }


def new_trace(reply: Reply) -> ReplyTrace:
    """Return a trace of the reply that has no step yet, and no row."""
    return ReplyTrace(reply=reply, round_id=reply.round_id, space_id=reply.conversation.space_id, part="reply")


def progress_of(steps: Sequence[TraceStep]) -> dict[str, object]:
    """Return what a page is told of the stages among steps: the line of progress."""
    lines = [step.detail for step in steps if isinstance(step, Stage)]
    return {"line": lines[-1]} if lines else {}


def milliseconds_since(moment: datetime) -> int:
    return max(0, round((timezone.now() - moment).total_seconds() * 1000))
