"""The forms of what people change by hand, of entities, of predicates and of the audit."""

from rest_framework import serializers

from memory.api.serializers import MomentField
from memory.models import EditRecord, EntityRecord
from memory.selectors.pages import LARGEST_ID
from memory.services.edits.decide import Verdict
from memory.services.graph import VALUE_LIMIT

NAME_LIMIT = 300
PREDICATE_LIMIT = 120
NAMES_AT_ONCE = 50
TRIPLES_AT_ONCE = 1000


class AdditionSerializer(serializers.Serializer):
    """A fact in a person's own words."""

    subject = serializers.CharField(max_length=NAME_LIMIT, help_text="Who or what it is about; “I” for yourself.")
    predicate = serializers.CharField(
        max_length=PREDICATE_LIMIT, help_text="A name (livesIn), a phrase (“lives in”) or a noun (“sister”)."
    )
    value = serializers.CharField(max_length=VALUE_LIMIT, help_text="What is so.")
    is_negative = serializers.BooleanField(required=False, default=False, help_text="True to say that it is not so.")
    valid_from = MomentField(required=False, allow_null=True, default=None)
    valid_to = MomentField(required=False, allow_null=True, default=None)


class EntityDetailSerializer(serializers.ModelSerializer):
    """An entity with all its names and with what is known of the word that names it."""

    aliases: serializers.ManyRelatedField = serializers.SlugRelatedField(many=True, read_only=True, slug_field="text")

    class Meta:
        model = EntityRecord
        fields = [
            *("id", "space", "label", "kind", "is_speaker", "aliases", "lemma", "pos", "synset"),
            *("supersense", "dul_class", "created_at"),
        ]
        read_only_fields = fields


class EntityQuerySerializer(serializers.Serializer):
    q = serializers.CharField(
        required=False, max_length=NAME_LIMIT, help_text="A part of any of its names; case and accents do not matter."
    )


class RenameSerializer(serializers.Serializer):
    """What an entity is called from now on."""

    label = serializers.CharField(required=False, max_length=NAME_LIMIT)
    aliases_add = serializers.ListField(
        child=serializers.CharField(max_length=NAME_LIMIT), required=False, max_length=NAMES_AT_ONCE
    )
    aliases_remove = serializers.ListField(
        child=serializers.CharField(max_length=NAME_LIMIT), required=False, max_length=NAMES_AT_ONCE
    )


class MergeSerializer(serializers.Serializer):
    entity = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, help_text="The one that becomes part of this one."
    )


class SplitSerializer(serializers.Serializer):
    """What goes to a new entity."""

    label = serializers.CharField(max_length=NAME_LIMIT, help_text="What the new entity is called.")
    triples = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        required=False,
        max_length=TRIPLES_AT_ONCE,
        help_text="Triples about this entity that are about the new one.",
    )
    aliases = serializers.ListField(
        child=serializers.CharField(max_length=NAME_LIMIT),
        required=False,
        max_length=NAMES_AT_ONCE,
        help_text="Names of this entity that are the new one's.",
    )


class PredicateSerializer(serializers.Serializer):
    """A predicate as the space knows it."""

    name = serializers.CharField()
    words = serializers.CharField(help_text="The name in words.")
    is_functional = serializers.BooleanField(help_text="Whether it has one value at a time.")
    is_declared = serializers.BooleanField(help_text="Whether the space's people said so.")
    triples = serializers.IntegerField(help_text="How many active triples have it.")


class DeclarationSerializer(serializers.Serializer):
    is_functional = serializers.BooleanField(help_text="Whether it has one value at a time.")


class DecisionSerializer(serializers.Serializer):
    decision = serializers.ChoiceField(
        choices=[verdict.value for verdict in Verdict],
        help_text="accept: the new triple holds. reverse: the old one holds again.",
    )


class EditSerializer(serializers.ModelSerializer):
    """A change by hand: who made it, when, and whether it was undone."""

    actor = serializers.CharField(
        source="actor.username", default=None, allow_null=True, read_only=True, help_text="Null: the words said so."
    )
    undone_by = serializers.CharField(source="undone_by.username", default=None, allow_null=True, read_only=True)
    kind = serializers.ChoiceField(choices=EditRecord.Kind.choices, read_only=True)
    can_undo = serializers.BooleanField(read_only=True, help_text="False once undone, and for what was forgotten.")

    class Meta:
        model = EditRecord
        fields = ["id", "space", "kind", "summary", "actor", "created_at", "can_undo", "undone_at", "undone_by"]
        read_only_fields = fields
