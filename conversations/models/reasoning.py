"""The reasoning tree of a reply (D-SMART): its nodes as they were searched, and what the search took."""

from __future__ import annotations

from django.db import models

from conversations.models.reply import Reply
from memory.core.reasoning_tree.types import ActionKind, Fate, StopReason
from memory.models import TripleRecord


def choices(enum: type[ActionKind | Fate | StopReason]) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in enum]


class ReasoningTree(models.Model):
    """One search. `stopped_by` is empty while it runs; the limits are those it ran under, null for none.

    `calls` are calls to a language model, `waits` the batches of them that had to be waited for one after the other.
    """

    reply = models.OneToOneField(Reply, on_delete=models.CASCADE, related_name="reasoning")
    best = models.ForeignKey("ReasoningNode", null=True, on_delete=models.SET_NULL, related_name="+")
    stopped_by = models.CharField(max_length=12, choices=choices(StopReason), blank=True)
    config = models.JSONField(default=dict)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    waits = models.PositiveIntegerField(default=0)
    milliseconds = models.FloatField(default=0)
    failures = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)


class ReasoningNode(models.Model):
    """One node of a tree. The root has number 0, no parent and no action.

    `text` is the thought of a THINK, or the reply that an ANSWER proposed; `value` is null where none was given.
    """

    tree = models.ForeignKey(ReasoningTree, on_delete=models.CASCADE, related_name="nodes")
    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="children")
    depth = models.PositiveSmallIntegerField()
    action = models.CharField(max_length=20, choices=choices(ActionKind), blank=True)
    arguments = models.JSONField(default=list)
    text = models.TextField(blank=True)
    value = models.FloatField(null=True)
    fate = models.CharField(max_length=12, choices=choices(Fate))
    reason = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    milliseconds = models.FloatField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tree", "number"], name="reasoning_node_once")]
        ordering = ["number"]


class ReasoningNodeTriple(models.Model):
    """A triple that a node's action brought, in the order in which it came."""

    node = models.ForeignKey(ReasoningNode, on_delete=models.CASCADE, related_name="triples_added")
    triple = models.ForeignKey(TripleRecord, on_delete=models.CASCADE, related_name="+")
    rank = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["node", "triple"], name="reasoning_triple_once_a_node")]
        ordering = ["rank"]
