"""Replies. A reply belongs to the server: it goes on without a browser and always ends in a terminal state."""

from django.db import models

from conversations.models.conversation import Conversation
from memory.models import EditRecord, KnowledgeBaseRecord, Round, SentenceRecord, TraceRecord, TripleRecord, Turn, whose

# Why a reply that asks whether to forget something shows it.
WOULD_GO = "would be forgotten"


def turn_key(reply_id: int) -> str:
    return f"reply-{reply_id}"


class ReplyState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


UNFINISHED_STATES = (ReplyState.QUEUED, ReplyState.RUNNING)
TERMINAL_STATES = (ReplyState.DONE, ReplyState.STOPPED, ReplyState.FAILED)


class Reply(models.Model):
    """One generation with its trace.

    Only the worker that holds `lease_token` until `lease_until` writes it. When a worker dies its lease expires, and another
    worker starts the reply over with `attempt` raised. `looked_for_at` is when a sweep last asked for a worker. Only the
    newest reply of a round `is_current`. `edit` is what it changed in the memory, and `outcome` its words that tell of a
    change, stored with the change: whoever starts the reply over tells it, and does it no second time. `instruction` is what
    the program that sent the message asks of the assistant. Times are milliseconds from the moment at which the message was
    posted.
    """

    space = whose()
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="replies")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="replies")
    state = models.CharField(max_length=10, choices=ReplyState.choices, default=ReplyState.QUEUED)
    is_current = models.BooleanField(default=True)
    engine = models.CharField(max_length=200)
    responder = models.CharField(max_length=60)
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    stop_requested = models.BooleanField(default=False)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    looked_for_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    edit = models.ForeignKey(EditRecord, null=True, on_delete=models.SET_NULL, related_name="+")
    outcome = models.TextField(blank=True)
    instruction = models.TextField(blank=True)
    first_token_ms = models.PositiveIntegerField(null=True)
    total_ms = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round"], condition=models.Q(is_current=True), name="one_current_reply_a_round"
            )
        ]
        indexes = [
            models.Index(
                fields=["conversation", "id"],
                condition=models.Q(state__in=["queued", "running"]),
                name="reply_unfinished",
            ),
            models.Index(fields=["-finished_at"], name="reply_finished"),
        ]

    @property
    def is_terminal(self) -> bool:
        return self.state in TERMINAL_STATES

    @property
    def asks_to_forget(self) -> bool:
        """True where the reply asked whether to forget what is there still."""
        return any(one.why == WOULD_GO for used in (self.triples_used, self.sentences_used) for one in used.all())


class ReplyTrace(TraceRecord):
    """The trace of the newest attempt at a reply, deleted with the reply."""

    reply = models.OneToOneField(Reply, on_delete=models.CASCADE, related_name="trace")


class ReplyEvent(models.Model):
    """One numbered event of a reply; numbers start at 1 and have no gaps."""

    space = whose()
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reply", "number"], name="event_number_once")]
        ordering = ["number"]


class ReplyTriple(models.Model):
    """A triple that a reply rests on, and why it was taken."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="triples_used")
    triple = models.ForeignKey(TripleRecord, on_delete=models.CASCADE, related_name="used_by")
    rank = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=200)

    class Meta:
        ordering = ["rank"]


class ReplyKnowledge(models.Model):
    """A triple of a knowledge base that a reply rests on, and why it was taken. It goes with the base."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="knowledge_used")
    base = models.ForeignKey(KnowledgeBaseRecord, on_delete=models.CASCADE, related_name="used_by")
    subject = models.TextField()
    relation = models.TextField()
    object = models.TextField()
    rank = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=200)

    class Meta:
        ordering = ["rank"]


class ReplySentence(models.Model):
    """A sentence that a reply rests on, and why it was taken."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="sentences_used")
    sentence = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="used_by")
    rank = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=200)

    class Meta:
        ordering = ["rank"]


class ReplySourceAside(models.Model):
    """A source of a reply while its words are put aside with a version: its place, without words.

    `start` is where its sentence begins in `turn`, `fact` a digest of the triple, empty for the sentence itself.
    """

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="sources_aside")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="+")
    start = models.PositiveIntegerField()
    fact = models.CharField(max_length=32, blank=True)
    rank = models.PositiveSmallIntegerField()
    why = models.CharField(max_length=200)
