"""Runs: systems measured on the cases of a benchmark, item by item, under an identity that never changes."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from memory.models import Space


class RunKind(models.TextChoices):
    """What is measured: answers to questions about a memory, dialogues that are held turn by turn, or what is retrieved."""

    ANSWERS = "answers"
    DIALOGUES = "dialogues"
    RETRIEVAL = "retrieval"


class RunState(models.TextChoices):
    """`PAUSED` and `STOPPED` can be resumed; `DONE` is the end, also where items failed."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"


class EvaluationRun(models.Model):
    """A measurement of `systems` (responders or retrievers) on a benchmark file. It is seen by the members of its space.

    `identity` holds what its figures depend on: digests of code, data, prompts and configuration, the engine, the judge, the
    seed; `identity_digest` is that of all of it. `plan` holds what was asked for. Only the state, the name, the tags and the
    comment change after it was made. `why` says why it is paused.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="evaluation_runs")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=120)
    comment = models.TextField(blank=True)
    tags = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    kind = models.CharField(max_length=12, choices=RunKind.choices)
    benchmark = models.CharField(max_length=40)
    data_name = models.CharField(max_length=200)
    systems = ArrayField(models.CharField(max_length=120))
    engine = models.CharField(max_length=200)
    judge = models.CharField(max_length=200, blank=True)
    plan = models.JSONField()
    identity = models.JSONField()
    identity_digest = models.CharField(max_length=64, db_index=True)
    state = models.CharField(max_length=8, choices=RunState.choices, default=RunState.WAITING)
    why = models.TextField(blank=True)
    keeps_spaces = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-created_at"], name="run_of_space")]

    def __str__(self) -> str:
        return self.name


class CaseState(models.TextChoices):
    """A case is `READY` when its scratch space holds what is to be remembered, `DONE` when each of its items has ended."""

    WAITING = "waiting"
    READY = "ready"
    DONE = "done"


class RunCase(models.Model):
    """One frozen case of a run's data, as its loader read it, and the scratch space that it is played in.

    `rounds_failed` counts rounds of its dialogue that could not be read into the memory, `failure` says why of the first.
    `attempts` counts workers that took it since an item of it was last written.

    The worker that holds `lease_token` until `lease_until` is the only one that plays it; one that died leaves a lease that
    runs out.
    """

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="cases")
    index = models.PositiveIntegerField()
    key = models.CharField(max_length=200)
    content = models.JSONField()
    state = models.CharField(max_length=8, choices=CaseState.choices, default=CaseState.WAITING)
    scratch = models.ForeignKey(Space, null=True, on_delete=models.SET_NULL, related_name="+")
    rounds_failed = models.PositiveIntegerField(default=0)
    failure = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="run_case_index_once")]
        indexes = [models.Index(fields=["run", "index"], condition=~Q(state="done"), name="run_case_open")]


class ItemState(models.TextChoices):
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class RunItem(models.Model):
    """One question, turn or query of a case put to one system, for the `repeat`-th time.

    `expected` are accepted answers, null where there is nothing to compare with, empty where the right answer is that it is
    not known. `evidence` are the keys that the file names, `found` those that the system used. `position` is the place in
    the dialogue, from 1. A failed item has an `error`, no reply, and stays in the denominator of every figure.
    """

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="items")
    case = models.ForeignKey(RunCase, on_delete=models.CASCADE, related_name="items")
    index = models.PositiveIntegerField()
    system = models.CharField(max_length=120)
    repeat = models.PositiveIntegerField(default=0)
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=1)
    category = models.CharField(max_length=60, blank=True)
    question = models.TextField()
    expected = ArrayField(models.TextField(), null=True)
    evidence = ArrayField(models.CharField(max_length=200), default=list)
    state = models.CharField(max_length=8, choices=ItemState.choices, default=ItemState.WAITING)
    reply = models.TextField(blank=True)
    error = models.TextField(blank=True)
    found = ArrayField(models.CharField(max_length=200), default=list)
    passages = models.JSONField(default=list)
    trace = models.JSONField(default=list)
    first_token_ms = models.FloatField(null=True)
    total_ms = models.FloatField(null=True)
    calls = models.PositiveIntegerField(null=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cache_key = models.CharField(max_length=64)
    is_cached = models.BooleanField(default=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="run_item_index_once")]
        indexes = [
            models.Index(fields=["cache_key"], condition=Q(state="done"), name="run_item_cached"),
            models.Index(fields=["case", "index"], condition=Q(state="waiting"), name="run_item_waiting"),
            models.Index(fields=["run", "system", "key", "repeat"], name="run_item_compared"),
        ]


class ItemScore(models.Model):
    """One figure of an item. A figure that could not be taken has no value, and `why` says why: it is unscored.

    `reason` is what a judge said for its verdict.
    """

    item = models.ForeignKey(RunItem, on_delete=models.CASCADE, related_name="scores")
    metric = models.CharField(max_length=60)
    value = models.FloatField(null=True)
    why = models.TextField(blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "metric"], name="item_score_once")]


class ScoreOverride(models.Model):
    """A person's figure in place of a measured one. Rows are only added: the latest counts, and no value takes it back."""

    item = models.ForeignKey(RunItem, on_delete=models.CASCADE, related_name="overrides")
    metric = models.CharField(max_length=60)
    value = models.FloatField(null=True)
    comment = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["item", "metric", "-id"], name="override_latest")]
