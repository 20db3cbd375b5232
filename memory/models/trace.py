"""The tables of traces: numbered steps, of any kind, of a reply or of a round's maintenance.

References are stored by id, and their words are read when a step is shown. Words that are stored nowhere else are kept only
while everything that they may rest on exists: a trace that found something forgotten since (`has_forgotten`) keeps its
structure and its figures, and no words.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.fields.json import KT
from django.db.models.functions import MD5

from memory.models.dialogue import Round
from memory.models.spaces import Space, whose

MAINTENANCE = "maintenance"


class TraceRecord(models.Model):
    """The trace of work for a round. For maintenance it is this row alone; another owner's table extends it."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="traces")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="traces")
    part = models.CharField(max_length=20, default=MAINTENANCE)
    has_forgotten = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round"], condition=models.Q(part=MAINTENANCE), name="one_trace_of_maintenance_a_round"
            )
        ]


class StepRecord(models.Model):
    """The `number`-th step of a trace, in its stored form (`memory.core.tracing.StoredForm`)."""

    space = whose()
    trace = models.ForeignKey(TraceRecord, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    figures = models.JSONField(default=dict)
    words = models.JSONField(default=dict)
    triples = ArrayField(models.BigIntegerField(), default=list)
    sentences = ArrayField(models.BigIntegerField(), default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trace", "number"], name="step_number_once")]
        indexes = [
            GinIndex(fields=["triples"], name="step_of_triple"),
            GinIndex(fields=["sentences"], name="step_of_sentence"),
            models.Index(fields=["space"], condition=models.Q(figures__outcome="unknown"), name="step_left_unknown"),
            models.Index(
                "space", MD5(KT("words__asked")), condition=models.Q(words__has_key="asked"), name="step_of_question"
            ),
        ]
        ordering = ["number"]
