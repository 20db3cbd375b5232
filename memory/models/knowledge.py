"""Knowledge bases from outside a conversation: entities, relations, triples and passages, in bulk.

Rows of a base are written once, all in one transaction, and deleted all at once. So within a base they refer to each other
by plain numbers: a foreign key a column would be checked a million times, and each row of a base that goes away again.
"""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models

from memory.models.spaces import Space


class KnowledgeBaseRecord(models.Model):
    """A knowledge base of a space. Only one that is ready is ever read.

    `source` is the name of its file and `digest` the SHA-256 of what it holds. `progress` is the share of an import that is
    done, told at `progressed_at`. `passage_words` is the length of all passages together, for BM25.
    """

    class State(models.TextChoices):
        IMPORTING = "importing"
        READY = "ready"
        FAILED = "failed"
        REMOVING = "removing"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="knowledge_bases")
    name = models.CharField(max_length=120)
    source = models.CharField(max_length=300)
    licence = models.CharField(max_length=500, blank=True)
    form = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.IMPORTING)
    error = models.TextField(blank=True)
    progress = models.FloatField(default=0)
    progressed_at = models.DateTimeField(auto_now_add=True)
    entities = models.PositiveBigIntegerField(default=0)
    aliases = models.PositiveBigIntegerField(default=0)
    triples = models.PositiveBigIntegerField(default=0)
    passages = models.PositiveBigIntegerField(default=0)
    passage_words = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="knowledge_base_once_a_space")]

    def __str__(self) -> str:
        return self.name

    @property
    def share(self) -> int:
        """The progress in whole percent."""
        return round(self.progress * 100)


class KnowledgeUploadRecord(models.Model):
    """The file of a base that was uploaded and is still to be imported."""

    base = models.OneToOneField(KnowledgeBaseRecord, on_delete=models.CASCADE, primary_key=True, related_name="upload")
    content = models.BinaryField()


class KnowledgeNameRecord(models.Model):
    """A name of an entity. An entity is the row of its own name, whose `entity` is its own number; the others are aliases.

    `key` is the name folded. `head` and `tail` are the blocks in which a misspelling of it is looked for, empty for a name
    that none is looked for. `triples` counts the triples of the entity.
    """

    base = models.ForeignKey(KnowledgeBaseRecord, on_delete=models.CASCADE, db_index=False, related_name="names")
    entity = models.BigIntegerField()
    name = models.TextField()
    key = models.TextField(db_collation="C")
    head = models.TextField(db_collation="C")
    tail = models.TextField(db_collation="C")
    triples = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["base", "key"], name="knowledge_name_key"),
            models.Index(fields=["base", "head"], condition=~models.Q(head=""), name="knowledge_name_head"),
            models.Index(fields=["base", "tail"], condition=~models.Q(tail=""), name="knowledge_name_tail"),
        ]


class KnowledgeRelationRecord(models.Model):
    base = models.ForeignKey(KnowledgeBaseRecord, on_delete=models.CASCADE, related_name="relations")
    name = models.TextField()


class KnowledgeTripleRecord(models.Model):
    """A triple by the numbers of its entities (`KnowledgeNameRecord`) and its relation; in the order of the file."""

    base = models.ForeignKey(KnowledgeBaseRecord, on_delete=models.CASCADE, related_name="+")
    subject = models.BigIntegerField()
    relation = models.BigIntegerField()
    object = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["subject", "id"], name="knowledge_triple_subject"),
            models.Index(fields=["object", "id"], name="knowledge_triple_object"),
        ]


class KnowledgePassageRecord(models.Model):
    """A passage. `key` is its title folded, without a note in brackets; `words` are its stems (`bm25.words`)."""

    base = models.ForeignKey(KnowledgeBaseRecord, on_delete=models.CASCADE, db_index=False, related_name="+")
    title = models.TextField()
    text = models.TextField()
    key = models.TextField(db_collation="C")
    words = SearchVectorField()

    class Meta:
        indexes = [
            models.Index(fields=["base", "key"], name="knowledge_passage_key"),
            GinIndex(fields=["words"], name="knowledge_passage_words"),
        ]
