"""The reasoning trees of a reply (D-SMART), one a question: their nodes as they were searched, and what that took.

Words are kept only as long as all that they may rest on: names are read from the entities' own rows, and a tree that found
something that was forgotten since (`has_forgotten`) keeps its shape and its figures, and none of its words.
"""

from __future__ import annotations

from django.db import models

from conversations.models.reply import Reply
from memory.core.reasoning_tree.types import ActionKind, Fate, StopReason
from memory.models import EntityRecord, TripleRecord


def choices(enum: type[ActionKind | Fate | StopReason]) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in enum]


class ReasoningTree(models.Model):
    """One search, the `index`-th of its reply.

    While it runs, `stopped_by` is empty, `best` and `config` are null, and the figures grow by levels.
    `best` is the number of the node that answers; `config` has the limits that the search ran under, null for none.
    `calls` are calls to a language model, `waits` the batches of them that had to be waited for one after the other.
    """

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="searches")
    index = models.PositiveSmallIntegerField(default=0)
    best = models.PositiveIntegerField(null=True)
    stopped_by = models.CharField(max_length=12, choices=choices(StopReason), blank=True)
    config = models.JSONField(null=True)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    waits = models.PositiveIntegerField(default=0)
    milliseconds = models.FloatField(default=0)
    failures = models.JSONField(default=list)
    has_forgotten = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reply", "index"], name="reasoning_tree_once")]
        ordering = ["index"]


class ReasoningNode(models.Model):
    """One node of a tree, with the number of its parent. The root has number 0, no parent and no action.

    `text` is the thought of a THINK, or the reply that an ANSWER proposed; `value` is null where none was given.
    """

    tree = models.ForeignKey(ReasoningTree, on_delete=models.CASCADE, related_name="nodes")
    number = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True)
    depth = models.PositiveSmallIntegerField()
    action = models.CharField(max_length=20, choices=choices(ActionKind), blank=True)
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


class ReasoningArgument(models.Model):
    """What a node's action was done to: an entity of the space, or a name that no entity of the space has."""

    node = models.ForeignKey(ReasoningNode, on_delete=models.CASCADE, related_name="arguments")
    rank = models.PositiveSmallIntegerField()
    entity = models.ForeignKey(EntityRecord, null=True, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["node", "rank"], name="reasoning_argument_once")]
        ordering = ["rank"]


class ReasoningNodeTriple(models.Model):
    """A triple that a node's action brought, in the order in which it came; null from its forgetting to the clean-up."""

    node = models.ForeignKey(ReasoningNode, on_delete=models.CASCADE, related_name="triples_added")
    triple = models.ForeignKey(TripleRecord, null=True, on_delete=models.SET_NULL, related_name="+")
    rank = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["node", "triple"], name="reasoning_triple_once_a_node")]
        indexes = [models.Index(fields=["triple"], condition=models.Q(triple=None), name="reasoning_triple_forgotten")]
        ordering = ["rank"]
