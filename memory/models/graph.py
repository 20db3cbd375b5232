"""The knowledge graph: entities, triples that are superseded but never overwritten, and the conflicts between them."""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memory.core.types import Axiom, ConflictRule, Modality, Polarity, Tense
from memory.models.dialogue import Round, SentenceRecord
from memory.models.spaces import Space
from memory.models.words import words_of


class EntityRecord(models.Model):
    """An entity of the dialogue; a speaker is one too.

    `lemma` and `pos` are of the word that named it. `synset`, `supersense` and `dul_class` are its senses from the lexical
    enrichment; empty where there are none.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="entities")
    label = models.CharField(max_length=300)
    kind = models.CharField(max_length=60, blank=True)
    is_speaker = models.BooleanField(default=False)
    lemma = models.CharField(max_length=100, blank=True)
    pos = models.CharField(max_length=10, blank=True)
    synset = models.CharField(max_length=160, blank=True)
    supersense = models.CharField(max_length=40, blank=True)
    dul_class = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["space", "-id"], name="entity_of_space"),
            models.Index(fields=["space", "kind", "-id"], name="entity_of_kind"),
        ]

    def __str__(self) -> str:
        return self.label


class AliasRecord(models.Model):
    """One way to name an entity. `key` is the name with case, accents and spacing folded."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="aliases")
    entity = models.ForeignKey(EntityRecord, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField(max_length=300)
    key = models.CharField(max_length=300)
    source_round = models.ForeignKey(Round, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entity", "key"], name="alias_once_an_entity")]
        indexes = [
            # Finds a name whole and by how it begins, in any locale of the database.
            models.Index(fields=["space", "key"], opclasses=["int8_ops", "varchar_pattern_ops"], name="alias_of_key"),
            GinIndex(words_of("key", "simple"), name="alias_words"),
        ]


def choices(enum: type[StrEnum]) -> list[tuple[str, str]]:
    return [(member.value, member.value) for member in enum]


# What a walk over the current graph goes along.
WALKED = models.Q(superseded_at__isnull=True, modality="asserted")


class TripleRecord(models.Model):
    """A triple with its whole provenance.

    An update never deletes or changes it: `superseded_at` and `superseded_by` say when and by what it was replaced.
    `valid_from` and `valid_to` are the time it holds in the world, `recorded_at` and `superseded_at` the time it was
    believed. `object` is null for a literal or for a denial of everything; `value` is always the words to show.
    `round` and `superseded_in` are the rounds in which that happened, for the graph as of a turn. `said_by` uttered it;
    `attributed_to` names the person whose word it is where it was only reported.
    """

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="triples")
    # Both ends have indexes below that begin with them.
    subject = models.ForeignKey(EntityRecord, on_delete=models.CASCADE, db_index=False, related_name="triples")
    predicate = models.CharField(max_length=120)
    object = models.ForeignKey(
        EntityRecord, null=True, on_delete=models.CASCADE, db_index=False, related_name="triples_as_object"
    )
    value = models.CharField(max_length=1000)
    value_key = models.CharField(max_length=300)
    is_any = models.BooleanField(default=False)
    polarity = models.CharField(max_length=10, choices=choices(Polarity), default=Polarity.POSITIVE)
    modality = models.CharField(max_length=12, choices=choices(Modality), default=Modality.ASSERTED)
    tense = models.CharField(max_length=10, choices=choices(Tense), default=Tense.PRESENT)
    phrase = models.CharField(max_length=300, blank=True)
    confidence = models.FloatField(default=1.0)
    valid_from = models.DateTimeField(null=True)
    valid_to = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="supersedes")
    superseded_in = models.ForeignKey(Round, null=True, on_delete=models.SET_NULL, related_name="triples_superseded")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="triples")
    sentence = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="triples")
    span_start = models.PositiveIntegerField()
    span_end = models.PositiveIntegerField()
    said_by = models.CharField(max_length=120)
    attributed_to = models.CharField(max_length=120, blank=True)
    said_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(
                fields=["space", "subject", "predicate"],
                condition=models.Q(superseded_at__isnull=True),
                name="triple_active_slot",
            ),
            models.Index(
                fields=["space", "-id"], condition=models.Q(superseded_at__isnull=True), name="triple_newest_active"
            ),
            models.Index(
                fields=["space", "-superseded_at"],
                condition=models.Q(superseded_at__isnull=False),
                name="triple_superseded_last",
            ),
            models.Index(fields=["subject", "-id"], name="triple_of_subject"),
            models.Index(fields=["object", "-id"], name="triple_of_object"),
            models.Index(fields=["subject", "-round", "-id"], name="triple_of_subject_then"),
            models.Index(fields=["object", "-round", "-id"], name="triple_of_object_then"),
            models.Index(fields=["space", "-id"], name="triple_of_space"),
            models.Index(fields=["space", "-round", "-id"], name="triple_of_round"),
            models.Index(fields=["space", "predicate", "-id"], name="triple_of_predicate"),
            models.Index(fields=["space", "said_by", "-id"], name="triple_of_speaker"),
            models.Index(
                fields=["space", "-id"], condition=models.Q(superseded_at__isnull=False), name="triple_replaced"
            ),
            # Answers by itself what had been replaced as of a round: most of what it holds may be replaced later.
            models.Index(
                fields=["space", "-round", "-id"],
                include=["superseded_in", "superseded_at"],
                condition=models.Q(superseded_at__isnull=False),
                name="triple_replaced_then",
            ),
            models.Index(fields=["space", "-id"], condition=models.Q(modality="reported"), name="triple_reported"),
            models.Index(fields=["space", "-id"], condition=models.Q(polarity="negative"), name="triple_denied"),
            models.Index(fields=["space", "-id"], condition=models.Q(tense="future"), name="triple_planned"),
            models.Index(fields=["subject", "-id"], condition=WALKED, name="triple_walked_from"),
            models.Index(fields=["object", "-id"], condition=WALKED, name="triple_walked_to"),
            models.Index(fields=["subject", "object", "-id"], condition=WALKED, name="triple_between"),
        ]


class ConflictRecord(models.Model):
    """An old triple, the new one that it clashed with, the rule, and the decision and who took it.

    `BOTH` stand where a language model was asked about what a rule saw and found no conflict. `confidence` is how sure a
    learned rule was; None for the others.
    `known_from` is the later of the rounds in which the two were said. A trigger of the database sets it, so that no writer
    of a conflict can forget it.
    """

    class Decision(models.TextChoices):
        SUPERSEDED = "superseded"
        KEPT = "kept"
        BOTH = "both"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="conflicts")
    old = models.ForeignKey(TripleRecord, on_delete=models.CASCADE, related_name="conflicts_as_old")
    new = models.ForeignKey(TripleRecord, on_delete=models.CASCADE, related_name="conflicts_as_new")
    rule = models.CharField(max_length=40, choices=choices(ConflictRule))
    confidence = models.FloatField(null=True)
    decision = models.CharField(max_length=12, choices=Decision.choices, default=Decision.SUPERSEDED)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    known_from = models.BigIntegerField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["old", "new"], name="conflict_once_a_pair")]
        indexes = [
            models.Index(fields=["space", "-id"]),
            models.Index(fields=["space", "-known_from", "-id"], name="conflict_known_from"),
            models.Index(fields=["space", "rule", "-id"], name="conflict_of_rule"),
            models.Index(fields=["space", "decision", "-id"], name="conflict_of_decision"),
            models.Index(
                fields=["space", "-id"], condition=models.Q(decided_by__isnull=False), name="conflict_of_people"
            ),
        ]


class PredicateRecord(models.Model):
    """What a space's people declared of a predicate: whether it has one value at a time."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="predicates")
    name = models.CharField(max_length=120)
    is_functional = models.BooleanField()
    declared_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="predicate_once_a_space")]


class HeldFragmentRecord(models.Model):
    """A fragment that was not merged, because it would break an axiom (`Violation`)."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="held_fragments")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="held_fragments")
    sentence = models.ForeignKey(SentenceRecord, on_delete=models.CASCADE, related_name="held_fragments")
    axiom = models.CharField(max_length=40, choices=choices(Axiom))
    reason = models.TextField()
    facts = models.JSONField(default=list)
    against = models.ManyToManyField(TripleRecord, related_name="held_fragments")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-id"])]


class GraphCheckRecord(models.Model):
    """One full check of a space's current graph by an OWL reasoner. `verdict` is empty while it runs."""

    class Verdict(models.TextChoices):
        CONSISTENT = "consistent"
        INCONSISTENT = "inconsistent"
        FAILED = "failed"

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="graph_checks")
    reasoner = models.CharField(max_length=20)
    verdict = models.CharField(max_length=12, choices=Verdict.choices, blank=True)
    explanation = models.TextField(blank=True)
    triple_count = models.PositiveIntegerField(default=0)
    duration_ms = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["space", "-id"])]
