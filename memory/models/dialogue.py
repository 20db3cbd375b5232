"""Dialogue as it was said: sessions, rounds, turns and their sentences (SGMem's hierarchy)."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.utils.timezone import localtime
from pgvector.django import HnswIndex, VectorField

from memory.core.types import Role
from memory.core.types.dialogue import as_grounds, done_by_hand
from memory.models.spaces import Space

EMBEDDING_DIMENSION = 384


class ShownRounds(models.Manager["Round"]):
    """The rounds of dialogues as they stand, without those of versions that are put aside."""

    def get_queryset(self) -> models.QuerySet[Round]:
        return super().get_queryset().filter(aside_with=None)


class ShownTurns(models.Manager["Turn"]):
    """The turns of dialogues as they stand, without those of versions that are put aside."""

    def get_queryset(self) -> models.QuerySet[Turn]:
        return super().get_queryset().filter(is_aside=False)


class Session(models.Model):
    """One dated dialogue. `key` is the source's own id, so that the same session is never imported twice.

    `replies_by` is the speaker whose turns count as replies, which are scored: "" for whatever the assistant said, `NOBODY`
    for none of them.
    """

    NOBODY = "(nobody)"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="sessions")
    title = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    is_remembered = models.BooleanField(default=True)
    replies_by = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["space", "key"], condition=~models.Q(key=""), name="session_key_once_a_space"
            )
        ]
        indexes = [models.Index(fields=["space", "-started_at"])]


class MaintenanceState(models.TextChoices):
    """Where a round's maintenance stands. `SKIPPED` rounds teach nothing: their session is not remembered, or they
    wish something of the memory.

    `HEARING` rounds wait for their reply, which waits until the person's words are read.
    """

    WAITING = "waiting"
    HEARING = "hearing"
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


TO_MAINTAIN = (MaintenanceState.HEARING, MaintenanceState.PENDING, MaintenanceState.RUNNING)


class Round(models.Model):
    """A user's message and the reply to it (D-SMART's h_t), with the state of its maintenance.

    `statement` is D-SMART's s_t, a sentence a line, empty where the round asserts nothing or was not processed yet;
    `statement_sources` has the place in the round of the sentence that each rests on. `maintenance_stage` is the
    last committed stage; a restart continues after it. A `WAITING` round has no reply yet. `engine` maintains it, "" is the
    configured one. `stage_ms` has the milliseconds of each stage. `is_wish` is true where the message wishes something of the
    memory: it states nothing of the world, and the reply to it tells what was done. A `FAILED` round with a time in
    `maintained_at` went through all stages, and `maintenance_error` says what of it fell short. `is_backlog` is true of the
    rounds of a dialogue that was brought in as a whole: they are learnt once nothing that is said now waits.

    A round may have versions: other words, or another reply, at the same place. They share `version_of`, the first of them,
    which is empty where there is but one. Rounds that are not in the dialogue now teach nothing and have in `aside_with` the
    version that they were put aside with; only `everything` finds them. `state_before` has, without words, what the semantic
    state of the session was before the round was read.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="rounds")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="rounds")
    index = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    statement = models.TextField(blank=True)
    statement_sources = models.JSONField(default=list)
    maintenance = models.CharField(max_length=10, choices=MaintenanceState.choices, default=MaintenanceState.WAITING)
    maintenance_stage = models.CharField(max_length=20, blank=True)
    is_wish = models.BooleanField(default=False)
    is_backlog = models.BooleanField(default=False)
    engine = models.CharField(max_length=200, blank=True)
    maintenance_error = models.TextField(blank=True)
    maintained_at = models.DateTimeField(null=True)
    stage_ms = models.JSONField(default=dict)
    version_of = models.ForeignKey("self", null=True, on_delete=models.DO_NOTHING, db_index=False, related_name="+")
    aside_with = models.ForeignKey("self", null=True, on_delete=models.DO_NOTHING, db_index=False, related_name="+")
    state_before = models.JSONField(null=True)

    objects = ShownRounds()
    everything = models.Manager()  # noqa: DJ012 (the default manager has to come first)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "index"], condition=models.Q(aside_with=None), name="round_index_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["version_of", "id"], condition=models.Q(version_of__isnull=False), name="round_versions"
            ),
            models.Index(fields=["aside_with"], condition=models.Q(aside_with__isnull=False), name="round_aside_with"),
            models.Index(
                fields=["space", "is_backlog", "id"],
                condition=models.Q(maintenance__in=["hearing", "pending", "running"]),
                name="round_to_maintain",
            ),
            models.Index(fields=["space", "id"], name="round_of_space"),
        ]
        ordering = ["index"]


class Turn(models.Model):
    """One utterance by one speaker. `key` is the sender's own id for it, so that a repeated send is stored once.

    `is_generated` is true of the replies that the product wrote itself, not of what an assistant said in a dialogue that was
    brought in. `is_aside` is true of the turns of rounds that are put aside: only `everything` finds those.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="turns")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turns")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="turns")
    index = models.PositiveIntegerField()
    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role])
    speaker = models.CharField(max_length=120)
    text = models.TextField()
    said_at = models.DateTimeField()
    key = models.CharField(max_length=200, blank=True)
    is_generated = models.BooleanField(default=False)
    is_aside = models.BooleanField(default=False)
    search = models.GeneratedField(
        expression=SearchVector("text", config="english"), output_field=SearchVectorField(), db_persist=True
    )

    objects = ShownTurns()
    everything = models.Manager()  # noqa: DJ012 (the default manager has to come first)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "index"], condition=models.Q(is_aside=False), name="turn_index_once"
            ),
            models.UniqueConstraint(
                fields=["session", "role", "key"], condition=~models.Q(key=""), name="turn_key_once_a_session"
            ),
        ]
        indexes = [
            GinIndex(fields=["search"], name="turn_search"),
            models.Index(fields=["space", "speaker", "-id"], name="turn_of_speaker"),
            models.Index(fields=["space", "-said_at", "-id"], name="turn_by_time"),
        ]
        ordering = ["index"]

    @property
    def by_hand(self) -> str:
        """What a person did on a page where the product wrote these words down for it; "" where they are somebody's own."""
        return done_by_hand(self.key)


# Whether a turn counts as a reply, which is scored (`Session.replies_by`).
IS_REPLY = models.Q(role=Role.ASSISTANT.value, session__replies_by="") | models.Q(
    speaker=models.F("session__replies_by")
)


class SentenceRecord(models.Model):
    """A segment of a turn, [start, end) in its text, with the unit vector of the space's embedder.

    `is_own` is false where its speaker lends a voice to other words: quotations, pasted texts, roles, fiction. What only
    asks, and what the product replied, is no evidence: it is kept and shown, and no search for grounds ever finds it.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="sentences")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="sentences")
    index = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()
    is_own = models.BooleanField(default=True)
    is_evidence = models.BooleanField(default=True)
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True)
    search = models.GeneratedField(
        expression=SearchVector("text", config="english"), output_field=SearchVectorField(), db_persist=True
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "index"], name="sentence_index_once")]
        indexes = [
            HnswIndex(
                name="sentence_embedding",
                fields=["embedding"],
                m=16,
                ef_construction=64,
                opclasses=["vector_cosine_ops"],
                condition=models.Q(is_evidence=True),
            ),
            GinIndex(fields=["search"], name="sentence_search"),
            models.Index(fields=["space", "-turn", "-index"], name="sentence_of_space"),
            models.Index(fields=["space", "id"], name="sentence_by_id"),
            models.Index(
                fields=["space", "-turn", "-index"], name="sentence_no_evidence", condition=models.Q(is_evidence=False)
            ),
        ]
        ordering = ["turn", "index"]

    @property
    def shown(self) -> str:
        """The words, or what a person did on a page; the turn is loaded."""
        said = self.turn
        return as_grounds(self.text, by_hand=said.by_hand, speaker=said.speaker, said_at=localtime(said.said_at))
