"""Keys of programs: which person's they are, what they may do, in which space, and until when."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from memory.models.spaces import Space


class TokenRecord(models.Model):
    """A token of the API. Only `digest` is stored of it; without a `space` it opens every space of its person."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        WRITE = "write", "Read and write"
        ADMIN = "admin", "Read, write and manage"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=40, unique=True, editable=False)
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.READ)
    space = models.ForeignKey(Space, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
