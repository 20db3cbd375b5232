"""A conversation: one person's dialogue with the product, over the memory of one space."""

from django.conf import settings
from django.db import models

from memory.models import Session, Space


class TitleBy(models.TextChoices):
    """Who made a title: nobody yet but its first words, the engine, or the person, whose title is never overwritten."""

    WORDS = "words"
    ENGINE = "engine"
    PERSON = "person"


class Conversation(models.Model):
    """A dialogue in the browser. Its words live in memory's `session`.

    An empty `engine` or `responder` means the configured default. `checks_facts` asks that what replies state is checked.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="conversations")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="conversation")
    title = models.CharField(max_length=200, blank=True)
    title_by = models.CharField(max_length=10, choices=TitleBy.choices, default=TitleBy.WORDS)
    engine = models.CharField(max_length=200, blank=True)
    responder = models.CharField(max_length=60, blank=True)
    checks_facts = models.BooleanField(default=False)
    archived_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "-updated_at"])]

    def __str__(self) -> str:
        return self.title
