"""How consistent each of the assistant's turns is with what was said before it (D-SMART, Equations 4 and 5)."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from evaluation.core.turn_consistency.types import Unscored
from memory.core.types import EntailmentLabel
from memory.models import Session, Space, Turn


class ScoreState(models.TextChoices):
    """`NOT_SCORED` is an end: there was nothing to score, or nothing to score it with, and `why` says which."""

    PENDING = "pending"
    SCORED = "scored"
    NOT_SCORED = "not_scored"


class TurnScore(models.Model):
    """One turn's score by one model and one strategy for the premise.

    A promised score has no `model` yet: which one reads it is known when it is read. The probabilities are null and the
    label is empty until it is scored. Where sentences decided, they are kept by their place, because a copy of their words
    would outlive forgetting: [premise_start, premise_end) in the text of `premise_turn`, [hypothesis_start,
    hypothesis_end) in the turn's own. The worker that holds `lease_token` until `lease_until` is the only one that writes
    it; one that died leaves a lease that runs out.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="turn_scores")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turn_scores")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="scores")
    model = models.CharField(max_length=200, blank=True)
    strategy = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=ScoreState.choices, default=ScoreState.PENDING)
    label = models.CharField(
        max_length=16, blank=True, choices=[(label.value, label.value) for label in EntailmentLabel]
    )
    entailment = models.FloatField(null=True)
    neutral = models.FloatField(null=True)
    contradiction = models.FloatField(null=True)
    premise_turn = models.ForeignKey(Turn, null=True, on_delete=models.SET_NULL, related_name="+")
    premise_start = models.PositiveIntegerField(null=True)
    premise_end = models.PositiveIntegerField(null=True)
    hypothesis_start = models.PositiveIntegerField(null=True)
    hypothesis_end = models.PositiveIntegerField(null=True)
    reason = models.CharField(max_length=12, blank=True, choices=[(reason.value, reason.value) for reason in Unscored])
    why = models.TextField(blank=True)
    milliseconds = models.PositiveIntegerField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    scored_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "model", "strategy"], name="score_once_a_turn_model_strategy")
        ]
        indexes = [
            models.Index(fields=["session", "strategy", "turn"], name="score_of_session"),
            models.Index(fields=["id"], condition=Q(state="pending"), name="score_pending"),
        ]
