"""The semantic state of a session (SLSM): its elements, and how each came to be what it is.

A state holds the words of its session alone and goes with it. What no longer counts stays, with another status, and the
history says why.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.core.semantic_state.elements import ElementKind, Status
from memory.models.dialogue import Round, Session, Turn
from memory.models.graph import TripleRecord, choices
from memory.models.spaces import Space

KINDS, STATUSES = choices(ElementKind), choices(Status)
# What still counts: the statuses that are current for any kind, which do not overlap with those that are not.
CURRENT = tuple(one.value for one in (Status.OPEN, Status.VALID, Status.SATISFIED, Status.VIOLATED))


class StateRecord(models.Model):
    """How far a session was read: `turn` counts the user's turns that were, `read_until` is the index of the last of them.

    `issued` counts the ids that were ever given. `plans` are what comes next (`Plan`) as id, mode and target, in order.
    Rounds keep what was before they were read (`Round.state_before`): their messages may be edited.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="states")
    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="state")
    turn = models.PositiveIntegerField(default=0)
    read_until = models.IntegerField(default=-1)
    issued = models.PositiveIntegerField(default=0)
    plans = models.JSONField(default=list)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-id"], name="state_of_space")]


class StateElementRecord(models.Model):
    """An element of a state (`Element`): `key` is its id, such as "f3", `details` are the fields without a column.

    `said_in` is the turn that brought it, None where a person wrote it beside the chat. `triple` says the same in the graph.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="state_elements")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="state_elements")
    key = models.CharField(max_length=40)
    kind = models.CharField(max_length=12, choices=KINDS)
    status = models.CharField(max_length=14, choices=STATUSES)
    description = models.TextField()
    words = models.TextField(blank=True)
    turn = models.PositiveIntegerField()
    said_in = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="state_elements")
    basis = ArrayField(models.CharField(max_length=40), default=list)
    details = models.JSONField(default=dict)
    triple = models.ForeignKey(TripleRecord, null=True, on_delete=models.SET_NULL, related_name="state_elements")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "key"], name="element_key_once_a_session")]
        indexes = [
            models.Index(fields=["session", "kind", "-id"], name="element_of_kind"),
            models.Index(fields=["session", "id"], condition=models.Q(status__in=CURRENT), name="element_that_counts"),
            models.Index(fields=["space", "-id"], name="element_of_space"),
        ]

    @property
    def is_gone(self) -> bool:
        return self.status not in CURRENT


class StateChangeRecord(models.Model):
    """An entry of a state's history (`StatusChange`), or a change that was refused (`Refusal`): then `element` is None.

    `round` is the one whose turn brought it, None where a person or the graph did; `by` is that person.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="state_changes")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="state_changes")
    element = models.ForeignKey(StateElementRecord, null=True, on_delete=models.CASCADE, related_name="changes")
    turn = models.PositiveIntegerField()
    before = models.CharField(max_length=14, choices=STATUSES, blank=True)
    after = models.CharField(max_length=14, choices=STATUSES, blank=True)
    because = models.TextField()
    evidence = models.TextField(blank=True)
    cause = models.CharField(max_length=40, blank=True)
    proposed = models.TextField(blank=True)
    round = models.ForeignKey(Round, null=True, on_delete=models.CASCADE, related_name="state_changes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["session", "-id"], name="state_change_of_session"),
            models.Index(fields=["session", "-id"], condition=models.Q(element=None), name="state_change_refused"),
        ]
