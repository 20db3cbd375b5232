"""Whose memory it is: spaces and the people who may read and write them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

LIMIT = "Empty: what the settings say. 0: no limit."


class Space(models.Model):
    """A person's or a team's memory, the tenant boundary: no query leaves it.

    The maintenance lease makes one worker at a time the writer of the space's memory: it holds `maintenance_token` until
    `maintenance_until`, and every write of a maintenance stage checks the token in its own transaction. `looked_for_at` is
    when the sweep last asked for a worker.

    `embedder` names the embedder of its vectors, empty before the first. Sentences up to the id `linked_until` have their
    edges. `index_revision` counts removals of words, so that holders of a copy notice them. `is_indexed` is false while
    vectors, words or edges are missing, which a background task makes.

    The limits say how much it may hold: null is the setting's default, 0 no limit.
    """

    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Membership", related_name="spaces")
    maintenance_token = models.UUIDField(null=True, editable=False)
    maintenance_until = models.DateTimeField(null=True, editable=False)
    looked_for_at = models.DateTimeField(null=True, editable=False)
    embedder = models.CharField(max_length=200, blank=True, editable=False)
    linked_until = models.BigIntegerField(default=0, editable=False)
    index_revision = models.BigIntegerField(default=0, editable=False)
    is_indexed = models.BooleanField(default=True, editable=False)
    turn_limit = models.PositiveBigIntegerField(null=True, blank=True, help_text=LIMIT)
    byte_limit = models.PositiveBigIntegerField(null=True, blank=True, help_text=LIMIT)
    import_limit = models.PositiveIntegerField(null=True, blank=True, help_text=LIMIT)

    def __str__(self) -> str:
        return self.name


def whose() -> models.ForeignKey:
    """Return the column `space` of a row that goes with another row of the space, so that its policy need not look there."""
    return models.ForeignKey(Space, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")


class Membership(models.Model):
    """A user's place in a space."""

    class Role(models.TextChoices):
        OWNER = "owner"
        MEMBER = "member"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="membership_once")]


class SpaceInvitation(models.Model):
    """An invitation to a space by the name of an account, as it was typed; nobody looks whether there is one.

    It waits until whoever has the name takes it, or it runs out. Who declines it keeps that to themselves.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    username = models.CharField(max_length=150)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    declined_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "username"], name="invitation_once")]
        indexes = [models.Index(fields=["username"], name="invitation_by_name")]

    def __str__(self) -> str:
        return f"{self.username} to {self.space_id}"
