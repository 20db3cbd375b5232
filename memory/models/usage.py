"""How much a space holds, kept by the database itself in the transactions that change it."""

from __future__ import annotations

from django.db import models

from memory.models.spaces import Space


class UsageRecord(models.Model):
    """A change of what a space holds: triggers on turns insert one a statement, and never wait for one another.

    The sum of a space's rows is what it holds. A row with a day in `imported_on` counts an import of that day. The database
    deletes the rows with their space.
    """

    space = models.ForeignKey(Space, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    turns = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    imported_on = models.DateField(null=True)
