"""The trace of a reply or of a round's maintenance: numbered steps, of any kind.

What a step refers to is kept by number, and its words are read when it is shown. Words that have no other place are kept
only as long as all that they may rest on: a trace that found something that was forgotten since (`has_forgotten`) keeps its
shape and its figures, and none of its words.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memory.models.dialogue import Round
from memory.models.spaces import Space

MAINTENANCE = "maintenance"


class TraceRecord(models.Model):
    """The trace of what was done for a round. That of its maintenance is this row alone; another is extended by its owner."""

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
        ]
        ordering = ["number"]
