"""What each of the assistant's turns states, fact by fact, with what it was held against (TG-/GA-DRG, section 3.4)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from evaluation.core.reply_facts.types import GroundKind, Verdict
from memory.models import SentenceRecord, Space, TripleRecord, Turn


class CheckState(models.TextChoices):
    """`CHECKED` and `FAILED` are ends; a failed check can be asked for again, and `why` says what happened."""

    PENDING = "pending"
    CHECKED = "checked"
    FAILED = "failed"


class FactCheck(models.Model):
    """The check of one turn by one verifier. A promised check has no `verifier` yet.

    Of several checks of a turn the latest counts. A checked turn without facts claims nothing, and `why` may say why. The
    worker that holds `lease_token` until `lease_until` is the only one that writes it.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="fact_checks")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="fact_checks")
    verifier = models.CharField(max_length=200, blank=True)
    splitter = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=CheckState.choices, default=CheckState.PENDING)
    why = models.TextField(blank=True)
    milliseconds = models.PositiveIntegerField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "verifier"], name="fact_check_once_a_turn_verifier")]
        indexes = [models.Index(fields=["id"], condition=Q(state="pending"), name="fact_check_pending")]


class FactGround(models.Model):
    """One thing that the facts of a check were held against: its id and its words as they were.

    It goes with the triple, the sentence or the turn that it is: nothing keeps words of what was forgotten.
    """

    check_of = models.ForeignKey(FactCheck, on_delete=models.CASCADE, related_name="grounds")
    rank = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=[(kind.value, kind.value) for kind in GroundKind])
    triple = models.ForeignKey(TripleRecord, null=True, on_delete=models.CASCADE, related_name="+")
    sentence = models.ForeignKey(SentenceRecord, null=True, on_delete=models.CASCADE, related_name="+")
    turn = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="+")
    outside_id = models.BigIntegerField(null=True)
    title = models.CharField(max_length=300, blank=True)
    speaker = models.CharField(max_length=120, blank=True)
    words = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["check_of", "rank"], name="fact_ground_rank_once")]
        ordering = ["rank"]


class FactRecord(models.Model):
    """The `index`-th fact of a check, claimed by the sentence [start, end) of its turn.

    `ground` decided it: a fact goes with what decided it, because a verdict that nobody can check is none.
    """

    check_of = models.ForeignKey(FactCheck, on_delete=models.CASCADE, related_name="facts")
    index = models.PositiveSmallIntegerField()
    text = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    verdict = models.CharField(max_length=24, choices=[(verdict.value, verdict.value) for verdict in Verdict])
    probability = models.FloatField(null=True)
    ground = models.ForeignKey(FactGround, null=True, on_delete=models.CASCADE, related_name="decided")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["check_of", "index"], name="fact_index_once")]
        ordering = ["index"]
