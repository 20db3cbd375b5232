"""The sentence graph and its indexes (SGMem, section 3.3): vectors of chunks, edges, words, and digests."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from pgvector.django import HnswIndex, VectorField

from memory.models.dialogue import EMBEDDING_DIMENSION, Round, SentenceRecord, Session, Turn
from memory.models.spaces import Space, whose
from memory.models.words import words_of

WORD_LIMIT = 100
# Sessions whose vector is to be made anew, or has not read all that the encoder would.
UNREAD = models.Q(embedding=None) | models.Q(is_full=False, read_words__lt=models.F("words"))


def nearest_index(name: str, field: str = "embedding", condition: models.Q | None = None) -> HnswIndex:
    return HnswIndex(
        name=name, fields=[field], m=16, ef_construction=64, opclasses=["vector_cosine_ops"], condition=condition
    )


class SessionVector(models.Model):
    """The unit vector of a session's beginning, as much as the encoder reads; `words` is the session's length for BM25.

    `read_words` is the session's length when the vector was made. `is_full` where the beginning fills the encoder's window,
    so that later words do not change the vector. `embedding` is null while it is still to be made.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True)
    words = models.PositiveIntegerField()
    read_words = models.PositiveIntegerField(default=0)
    is_full = models.BooleanField(default=False)

    class Meta:
        indexes = [
            nearest_index("session_embedding"),
            models.Index(fields=["space", "session"], name="session_unread", condition=UNREAD),
        ]


class RoundVector(models.Model):
    """The unit vector of a round: the user's message and the reply. A round that has one is indexed, its turns too."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION)

    class Meta:
        indexes = [nearest_index("round_embedding")]


class TurnVector(models.Model):
    """The unit vectors of a turn and of its window (the end of the turn before it, then the turn), with lengths for BM25.

    `sentences` is the number of the turn's sentences and `sentence_words` the number of their words together.
    """

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, primary_key=True, related_name="vector")
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION)
    window = VectorField(dimensions=EMBEDDING_DIMENSION)
    words = models.PositiveIntegerField()
    window_words = models.PositiveIntegerField()
    sentences = models.PositiveIntegerField()
    sentence_words = models.PositiveIntegerField()

    class Meta:
        indexes = [nearest_index("turn_embedding"), nearest_index("turn_window", "window")]


class LexiconRecord(models.Model):
    """The totals of a space for BM25: the number of texts of each kind, and the number of their words."""

    space = models.OneToOneField(Space, on_delete=models.CASCADE, primary_key=True, related_name="lexicon")
    turns = models.BigIntegerField(default=0)
    turn_words = models.BigIntegerField(default=0)
    window_words = models.BigIntegerField(default=0)
    sentences = models.BigIntegerField(default=0)
    sentence_words = models.BigIntegerField(default=0)
    sessions = models.BigIntegerField(default=0)
    session_words = models.BigIntegerField(default=0)


class WordRecord(models.Model):
    """A word of a space, with its document frequency among turns, windows, sentences and sessions."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, db_index=False, related_name="+")
    text = models.CharField(max_length=WORD_LIMIT)
    turns = models.IntegerField(default=0)
    windows = models.IntegerField(default=0)
    sentences = models.IntegerField(default=0)
    sessions = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "text"], name="word_once_a_space")]


class WordPosting(models.Model):
    """The term frequency of a word in a turn and in its window, and the number of the turn's sentences with it.

    `turn_words` and `window_words` are the lengths of both, so that an index alone gives a score, and whose it is.
    """

    space = whose()
    word = models.ForeignKey(WordRecord, on_delete=models.CASCADE, db_index=False, related_name="postings")
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="+")
    in_turn = models.PositiveIntegerField()
    in_window = models.PositiveIntegerField()
    in_sentences = models.PositiveIntegerField()
    turn_words = models.PositiveIntegerField()
    window_words = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["word", "turn"],
                include=["in_turn", "in_window", "turn_words", "window_words", "space"],
                name="word_once_a_turn",
            )
        ]


class SessionPosting(models.Model):
    """The term frequency of a word in a session."""

    space = whose()
    word = models.ForeignKey(WordRecord, on_delete=models.CASCADE, db_index=False, related_name="session_postings")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["word", "session"], include=["count", "space"], name="word_once_a_session")
        ]


class SentenceEdge(models.Model):
    """A sentence's neighbour in the sentence graph; `rank` 0 is its nearest."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    sentence = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="edges")
    # What leads to a sentence has an index below that begins with it.
    neighbour = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, db_index=False, related_name="edges_in")
    rank = models.PositiveSmallIntegerField()
    similarity = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sentence", "rank"], name="sentence_edge_rank_once")]
        indexes = [models.Index(fields=["neighbour", "-similarity", "id"], name="sentence_edge_inward")]


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
            models.Index(fields=["space", "-id"], name="digest_newest"),
            GinIndex(words_of("text", "english"), name="digest_words"),
            *(
                nearest_index(f"{kind}_embedding", condition=models.Q(kind=kind))
                for kind in ("summary", "fact", "insight")
            ),
        ]
