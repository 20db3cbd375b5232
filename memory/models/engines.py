"""Engines that people add on the settings page: language models on servers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from memory.models.spaces import Space

ADDED = "added:"


class EngineRecord(models.Model):
    """A language model on a server, as a person added it. `key` is encrypted; "" where the server asks for none.

    Conversations of the spaces in `offered_in` may choose it. Owners of spaces may offer what they added, and what is shared.
    """

    name = models.CharField(max_length=80)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=200)
    key = models.TextField(blank=True, editable=False)
    is_shared = models.BooleanField(default=False)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="engines")
    offered_in = models.ManyToManyField(Space, related_name="engines", blank=True)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.name

    @property
    def engine(self) -> str:
        """The name by which conversations, replies and commands name it."""
        return f"{ADDED}{self.pk}"


def added_id(engine: str) -> int:
    """Return the id of the row that an engine's name means; 0, which no row has, where it is not the name of an added one."""
    number = engine.removeprefix(ADDED)
    is_id = number != engine and number.isascii() and number.isdecimal() and len(number) < 19
    return int(number) if is_id else 0
