"""The sentence graph and its indexes (SGMem, section 3.3): vectors of chunks, edges, words, and digests."""

from __future__ import annotations

from django.db import models
from pgvector.django import HnswIndex, VectorField

from memory.models.dialogue import EMBEDDING_DIMENSION, Round, SentenceRecord, Session, Turn
from memory.models.spaces import Space


def nearest_index(name: str, field: str = "embedding", condition: models.Q | None = None) -> HnswIndex:
    return HnswIndex(
        name=name, fields=[field], m=16, ef_construction=64, opclasses=["vector_cosine_ops"], condition=condition
    )


class SessionVector(models.Model):
    """The unit vector of a session's beginning, as far as the encoder reads."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION)

    class Meta:
        indexes = [nearest_index("session_embedding")]


class RoundVector(models.Model):
    """The unit vector of a round: the user's message and the reply."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION)

    class Meta:
        indexes = [nearest_index("round_embedding")]


class TurnVector(models.Model):
    """The unit vectors of a turn, and of it behind the end of the turn before it; `words` is its length for BM25."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION)
    window = VectorField(dimensions=EMBEDDING_DIMENSION)
    words = models.PositiveIntegerField()

    class Meta:
        indexes = [nearest_index("turn_embedding"), nearest_index("turn_window", "window")]


class SentenceEdge(models.Model):
    """A sentence's neighbour in the sentence graph; `rank` 0 is its nearest."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    sentence = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="edges")
    neighbour = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="edges_in")
    rank = models.PositiveSmallIntegerField()
    similarity = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sentence", "rank"], name="sentence_edge_rank_once")]


class DigestRecord(models.Model):
    """What was distilled from the dialogue: a summary of a session, a fact of a round, an insight over several facts.

    `said_at` is when it was said; of an insight the latest time of what it merges. `engine` wrote it.
    """

    class Kind(models.TextChoices):
        SUMMARY = "summary"
        FACT = "fact"
        INSIGHT = "insight"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="digests")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="digests")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, null=True, related_name="digests")
    text = models.TextField()
    said_at = models.DateTimeField()
    engine = models.CharField(max_length=200, blank=True)
    sentences = models.ManyToManyField(SentenceRecord, related_name="digests")
    merges = models.ManyToManyField("self", symmetrical=False, related_name="merged_in")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["space", "kind", "-id"], name="digest_of_space"),
            *(
                nearest_index(f"{kind}_embedding", condition=models.Q(kind=kind))
                for kind in ("summary", "fact", "insight")
            ),
        ]
