"""The forms in which memory goes in and out of the API."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory.core.types import BY_HAND, ConflictRule, Modality, Polarity, Role, Tense
from memory.core.types.calendar import in_the_calendar
from memory.models import ConflictRecord, MaintenanceState, Session, Space, TripleRecord, Turn
from memory.services.exchange.rdf_import import IMPORTED
from memory.services.graph import VALUE_LIMIT

KEY_LIMIT = 200


class MomentField(serializers.DateTimeField):
    """A date and time that can be kept."""

    def to_internal_value(self, value: Any) -> datetime:
        try:
            return in_the_calendar(super().to_internal_value(value))
        except ValueError:
            self.fail("overflow")


class SpaceSerializer(serializers.ModelSerializer):
    role = serializers.CharField(read_only=True, help_text="What you are in the space: owner or member.")

    class Meta:
        model = Space
        fields = ["id", "name", "role", "created_at"]


class SpaceCountsSerializer(serializers.Serializer):
    triples = serializers.IntegerField()
    superseded = serializers.IntegerField()
    sentences = serializers.IntegerField()
    entities = serializers.IntegerField()
    rounds_pending = serializers.IntegerField()
    rounds_failed = serializers.IntegerField()
    knowledge_bases = serializers.IntegerField()
    knowledge_triples = serializers.IntegerField()
    knowledge_passages = serializers.IntegerField()


class SpaceDetailSerializer(SpaceSerializer):
    counts = SpaceCountsSerializer(read_only=True)

    class Meta(SpaceSerializer.Meta):
        fields = [*SpaceSerializer.Meta.fields, "counts"]


class SessionSerializer(serializers.ModelSerializer):
    """`key` is your own id of the session: the same key is never made twice."""

    key = serializers.CharField(max_length=KEY_LIMIT, required=False, allow_blank=True, default="")
    started_at = MomentField(required=False)

    class Meta:
        model = Session
        fields = ["id", "space", "title", "key", "started_at", "is_remembered", "created_at"]
        read_only_fields = ["space"]
        # A repeated key returns the session that has it; the view sees to that.
        validators: list[Any] = []

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs.setdefault("started_at", timezone.now())
        return attrs

    def validate_key(self, key: str) -> str:
        if key == BY_HAND or key.startswith(IMPORTED):
            raise serializers.ValidationError(f"Keys like {key[:40]!r} are the product's own. Choose another.")
        return key


class TurnSerializer(serializers.ModelSerializer):
    maintenance = serializers.ChoiceField(
        source="round.maintenance",
        choices=MaintenanceState.choices,
        read_only=True,
        help_text="Where the memory of the turn's round stands.",
    )

    class Meta:
        model = Turn
        fields = ["id", "session", "round", "index", "role", "speaker", "text", "said_at", "key", "maintenance"]


class TurnInSerializer(serializers.Serializer):
    role = serializers.ChoiceField(choices=[role.value for role in Role])
    speaker = serializers.CharField(max_length=120)
    text = serializers.CharField(max_length=settings.DSMART_MESSAGE_LIMIT)
    said_at = MomentField(required=False, help_text="When it was said; now where absent.")
    key = serializers.CharField(
        max_length=KEY_LIMIT,
        required=False,
        allow_blank=True,
        default="",
        help_text="Your own id of the turn, so that sending it again stores it once. Or send an Idempotency-Key header.",
    )
    ends_round = serializers.BooleanField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Whether the round is whole, so that it is remembered now. By default an assistant's turn ends its round "
        "and the next user's turn ends an open one.",
    )


class EntitySerializer(serializers.Serializer):
    id = serializers.IntegerField()
    label = serializers.CharField()
    kind = serializers.CharField()


class SourceSerializer(serializers.Serializer):
    """The sentence that a triple was read from. `span` is where, in characters of the sentence."""

    sentence = serializers.IntegerField(source="sentence_id")
    text = serializers.CharField(source="sentence.shown")
    span = serializers.SerializerMethodField()
    turn = serializers.IntegerField(source="sentence.turn_id")
    session = serializers.IntegerField(source="sentence.turn.session_id")
    said_by = serializers.CharField()
    said_at = serializers.DateTimeField()

    @extend_schema_field({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2})
    def get_span(self, triple: TripleRecord) -> list[int]:
        return [triple.span_start, triple.span_end]


class TripleSerializer(serializers.ModelSerializer):
    """A triple with where it comes from, when it holds, and what replaced it."""

    subject = EntitySerializer(read_only=True)
    object = EntitySerializer(read_only=True, allow_null=True, help_text="The entity, or null for a literal value.")
    polarity = serializers.ChoiceField(choices=[item.value for item in Polarity], read_only=True)
    modality = serializers.ChoiceField(choices=[item.value for item in Modality], read_only=True)
    tense = serializers.ChoiceField(choices=[item.value for item in Tense], read_only=True)
    source = SourceSerializer(source="*", read_only=True)
    is_active = serializers.SerializerMethodField(help_text="False once something replaced it.")

    class Meta:
        model = TripleRecord
        fields = [
            *("id", "space", "subject", "predicate", "object", "value", "polarity", "modality"),
            *("tense", "phrase", "confidence", "valid_from", "valid_to", "recorded_at", "is_active"),
            *("superseded_at", "superseded_by", "source"),
        ]
        read_only_fields = fields

    def get_is_active(self, triple: TripleRecord) -> bool:
        return triple.superseded_at is None


class TripleDetailSerializer(TripleSerializer):
    supersedes = serializers.SerializerMethodField(help_text="The triples that this one replaced.")

    class Meta(TripleSerializer.Meta):
        fields = [*TripleSerializer.Meta.fields, "supersedes"]
        read_only_fields = fields

    @extend_schema_field({"type": "array", "items": {"type": "integer"}})
    def get_supersedes(self, triple: TripleRecord) -> list[int]:
        return list(triple.supersedes.order_by("id").values_list("id", flat=True)[:200])


class CorrectionSerializer(serializers.Serializer):
    """What is right in the place of what is wrong: any of the three."""

    value = serializers.CharField(max_length=VALUE_LIMIT, required=False, help_text="In the place of the value.")
    predicate = serializers.CharField(
        max_length=120, required=False, help_text="In the place of the predicate: livesIn, or “lives in”."
    )
    subject = serializers.CharField(max_length=300, required=False, help_text="Whom or what it is about instead.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("Give a value, a predicate or a subject.")
        return attrs


class ConflictSerializer(serializers.ModelSerializer):
    """An old triple, the new one that it clashed with, and the rule that decided; how sure it was, if it was learned."""

    rule = serializers.ChoiceField(choices=[item.value for item in ConflictRule], read_only=True)
    decided_by = serializers.CharField(
        source="decided_by.username", read_only=True, default=None, allow_null=True, help_text="Null for a rule."
    )
    old = TripleSerializer(read_only=True)
    new = TripleSerializer(read_only=True)

    class Meta:
        model = ConflictRecord
        fields = ["id", "space", "old", "new", "rule", "confidence", "decision", "decided_by", "created_at"]
        read_only_fields = fields


class ScoredSentenceSerializer(serializers.Serializer):
    """A sentence found. Scores are comparable within one result only; `similarity` is the cosine to the query."""

    id = serializers.IntegerField(source="sentence.id")
    text = serializers.CharField(source="sentence.shown")
    speaker = serializers.CharField(source="sentence.speaker")
    role = serializers.CharField(source="sentence.role")
    said_at = serializers.DateTimeField(source="sentence.said_at")
    turn = serializers.IntegerField(source="sentence.turn_id")
    score = serializers.FloatField()
    similarity = serializers.FloatField()


class ExportSerializer(serializers.Serializer):
    """Everything in a space."""

    format = serializers.CharField()
    version = serializers.IntegerField()
    name = serializers.CharField()
    sessions = serializers.ListField(child=serializers.DictField())
    turns = serializers.ListField(child=serializers.DictField())
    triples = serializers.ListField(child=serializers.DictField())
    conflicts = serializers.ListField(child=serializers.DictField())
    knowledge_bases = serializers.ListField(child=serializers.DictField())


class ModelUseSerializer(serializers.Serializer):
    """Calls of language models: how many, their tokens as far as they are told, and the time that was waited for them."""

    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    untold = serializers.IntegerField(help_text="How many of the calls do not tell their tokens.")
    milliseconds = serializers.FloatField()


class ProblemSerializer(serializers.Serializer):
    """What went wrong, as a sentence."""

    detail = serializers.CharField()


class TripleQuerySerializer(serializers.Serializer):
    """What the list of triples may be narrowed by."""

    status = serializers.ChoiceField(
        choices=["current", "active", "superseded", "all"],
        default="current",
        help_text="current: not replaced and holding now; active: not replaced; superseded; all.",
    )
    subject = serializers.CharField(required=False, max_length=300, help_text="A name of the subject, in any case.")
    predicate = serializers.CharField(required=False, max_length=120, help_text="Such as livesIn.")
    session = serializers.IntegerField(required=False, help_text="Only what was said in this session.")


class SentenceQuerySerializer(serializers.Serializer):
    q = serializers.CharField(max_length=1000, help_text="What to look for, in words or as a question.")
    limit = serializers.IntegerField(required=False, default=10, min_value=1, max_value=50)
