"""How consistent each of the assistant's turns is with what was said before it (D-SMART, Equations 4 and 5)."""

from __future__ import annotations

from django.db import models

from memory.core.types import EntailmentLabel
from memory.models import SentenceRecord, Session, Space, Turn


class ScoreState(models.TextChoices):
    """`NOT_SCORED` is an end: there was nothing to score, or nothing to score it with, and `why` says which."""

    PENDING = "pending"
    SCORED = "scored"
    NOT_SCORED = "not_scored"


class TurnScore(models.Model):
    """One turn's score by one model and one strategy for the premise.

    The probabilities are null and the label is empty until it is scored. `premise` is the sentence of the history that
    decided and `hypothesis` the turn's own sentence that it decided about, null where the strategy takes whole texts.
    The lease says who is scoring it: a worker that died leaves one that runs out.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="turn_scores")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="turn_scores")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="scores")
    model = models.CharField(max_length=200)
    strategy = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=ScoreState.choices, default=ScoreState.PENDING)
    label = models.CharField(
        max_length=16, blank=True, choices=[(label.value, label.value) for label in EntailmentLabel]
    )
    entailment = models.FloatField(null=True)
    neutral = models.FloatField(null=True)
    contradiction = models.FloatField(null=True)
    premise = models.ForeignKey(SentenceRecord, null=True, on_delete=models.SET_NULL, related_name="+")
    hypothesis = models.ForeignKey(SentenceRecord, null=True, on_delete=models.SET_NULL, related_name="+")
    why = models.TextField(blank=True)
    milliseconds = models.PositiveIntegerField(null=True)
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    scored_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "model", "strategy"], name="score_once_a_turn_model_strategy")
        ]
        indexes = [
            models.Index(fields=["session", "turn"], name="score_of_session"),
            models.Index(fields=["id"], condition=models.Q(state="pending"), name="score_pending"),
        ]
