"""The forms in which conversations go in and out of the API."""

from dataclasses import asdict

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from conversations.bootstrap import responder_names, responder_unknown
from conversations.models import Conversation, Reply, ReplyEvent, ReplyKnowledge, ReplySentence, ReplyState, ReplyTriple
from conversations.selectors import RoundView
from memory.api.serializers import KEY_LIMIT, ModelUseSerializer
from memory.core.tracing import step_data
from memory.selectors.tracing import ModelUse, NumberedStep

EVENT_KINDS = ["state", "step", "delta", "grounds", "reset"]


def known_responder(name: str) -> str:
    """Return the name of a responder, or empty for the default."""
    if name and name not in responder_names():
        raise serializers.ValidationError(responder_unknown(name))
    return name


class ConversationSerializer(serializers.ModelSerializer):
    is_archived = serializers.SerializerMethodField()
    is_remembered = serializers.BooleanField(source="session.is_remembered", read_only=True)
    engine = serializers.CharField(read_only=True, help_text="Empty: the configured default.")
    responder = serializers.CharField(read_only=True, help_text="Empty: the configured default.")

    class Meta:
        model = Conversation
        fields = [
            *("id", "space", "session", "title", "engine", "responder", "is_remembered"),
            *("checks_facts", "is_archived", "created_at", "updated_at"),
        ]
        read_only_fields = fields

    def get_is_archived(self, conversation: Conversation) -> bool:
        return conversation.archived_at is not None


class ConversationInSerializer(serializers.Serializer):
    title = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    space = serializers.IntegerField(required=False, help_text="One of your spaces; your own where absent.")
    engine = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    responder = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    remember = serializers.BooleanField(
        required=False, default=True, help_text="Whether what is said is learnt. It cannot be changed later."
    )

    checks_facts = serializers.BooleanField(
        required=False, default=False, help_text="Whether what the replies state is checked."
    )

    def validate_responder(self, value: str) -> str:
        return known_responder(value)


class ConversationChangeSerializer(serializers.Serializer):
    title = serializers.CharField(max_length=200, required=False)
    engine = serializers.CharField(max_length=200, required=False, allow_blank=True)
    responder = serializers.CharField(max_length=60, required=False, allow_blank=True)
    checks_facts = serializers.BooleanField(required=False)
    is_archived = serializers.BooleanField(required=False)

    def validate_responder(self, value: str) -> str:
        return known_responder(value)


class MessageEditSerializer(serializers.Serializer):
    text = serializers.CharField(
        trim_whitespace=False, help_text=f"At most {settings.DSMART_MESSAGE_LIMIT:,} characters."
    )


class MessageSerializer(MessageEditSerializer):
    key = serializers.CharField(
        max_length=KEY_LIMIT,
        required=False,
        allow_blank=True,
        default="",
        help_text="Your own id of the message, so that sending it again stores it once. Or send an Idempotency-Key header.",
    )


class ReplySerializer(serializers.ModelSerializer):
    """A reply. Times are milliseconds from the moment the message was posted."""

    state = serializers.ChoiceField(choices=ReplyState.choices, read_only=True)
    model_use = serializers.SerializerMethodField(help_text="What writing it asked of language models.")

    class Meta:
        model = Reply
        fields = [
            *("id", "conversation", "round", "state", "is_current", "engine", "responder", "text"),
            *("error", "created_at", "finished_at", "first_token_ms", "total_ms", "model_use"),
        ]
        read_only_fields = fields

    @extend_schema_field(ModelUseSerializer)
    def get_model_use(self, reply: Reply) -> dict[str, float]:
        return asdict(ModelUse.of(getattr(reply, "model_use", None)))


class GroundTripleSerializer(serializers.ModelSerializer):
    text = serializers.CharField(
        source="triple.sentence.shown",
        help_text="The sentence that it was read from; of a fact set by hand, who set it and when.",
    )
    is_active = serializers.SerializerMethodField()

    class Meta:
        model = ReplyTriple
        fields = ["triple", "why", "text", "is_active"]
        read_only_fields = fields

    def get_is_active(self, ground: ReplyTriple) -> bool:
        return ground.triple.superseded_at is None


class GroundSentenceSerializer(serializers.ModelSerializer):
    text = serializers.CharField(source="sentence.shown")
    speaker = serializers.CharField(source="sentence.turn.speaker")
    said_at = serializers.DateTimeField(source="sentence.turn.said_at")

    class Meta:
        model = ReplySentence
        fields = ["sentence", "why", "text", "speaker", "said_at"]
        read_only_fields = fields


class GroundKnowledgeSerializer(serializers.ModelSerializer):
    source = serializers.CharField(source="base.name", help_text="The knowledge base that states it.")
    licence = serializers.CharField(source="base.licence")

    class Meta:
        model = ReplyKnowledge
        fields = ["base", "source", "licence", "subject", "relation", "object", "why"]
        read_only_fields = fields


class ReplyDetailSerializer(ReplySerializer):
    """A reply with what it rests on."""

    triples = GroundTripleSerializer(source="triples_used", many=True, read_only=True)
    sentences = GroundSentenceSerializer(source="sentences_used", many=True, read_only=True)

    knowledge = GroundKnowledgeSerializer(source="knowledge_used", many=True, read_only=True)

    class Meta(ReplySerializer.Meta):
        fields = [*ReplySerializer.Meta.fields, "triples", "sentences", "knowledge"]
        read_only_fields = fields


class ReplyEventSerializer(serializers.ModelSerializer):
    """One numbered event; numbers start at 1 and have no gaps, and the last is a `state` that is terminal."""

    kind = serializers.ChoiceField(choices=EVENT_KINDS, read_only=True)
    data = serializers.SerializerMethodField()

    class Meta:
        model = ReplyEvent
        fields = ["number", "kind", "data", "created_at"]
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_data(self, event: ReplyEvent) -> dict[str, object]:
        return event.data


class TraceStepSerializer(serializers.Serializer):
    """A step of a trace. `data` has what its kind has; words whose source was forgotten are empty in it."""

    number = serializers.IntegerField()
    kind = serializers.CharField(source="step.kind")
    data = serializers.SerializerMethodField()

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_data(self, one: NumberedStep) -> dict[str, object]:
        return step_data(one.step)


class EventsQuerySerializer(serializers.Serializer):
    after = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=2**31 - 1, help_text="The last number that you have."
    )


class RoundSerializer(serializers.Serializer):
    """A message and what was answered; `reply` is null in an imported round."""

    id = serializers.IntegerField(source="round.id")
    index = serializers.IntegerField(source="round.index")
    maintenance_use = serializers.SerializerMethodField(help_text="What remembering it asked of language models.")
    message = serializers.SerializerMethodField()
    said_at = serializers.SerializerMethodField()
    reply = ReplyDetailSerializer(allow_null=True)
    reply_text = serializers.CharField()
    versions = serializers.ListField(
        source="versions.ids",
        child=serializers.IntegerField(),
        help_text="The rounds that are versions of this message, itself among them, oldest first. POST to the "
        "`show` address of one to let it stand here, with what followed it.",
    )

    @extend_schema_field(ModelUseSerializer)
    def get_maintenance_use(self, shown: RoundView) -> dict[str, float]:
        return asdict(ModelUse.of(getattr(shown.round, "maintenance_use", None)))

    def get_message(self, shown: RoundView) -> str:
        return shown.user_turn.text if shown.user_turn is not None else ""

    @extend_schema_field({"type": "string", "format": "date-time", "nullable": True})
    def get_said_at(self, shown: RoundView) -> str | None:
        return shown.user_turn.said_at.isoformat() if shown.user_turn is not None else None


class TranscriptQuerySerializer(serializers.Serializer):
    before = serializers.IntegerField(
        required=False, min_value=0, max_value=2**31 - 1, help_text="Only rounds with a smaller index."
    )
    limit = serializers.IntegerField(required=False, default=50, min_value=1, max_value=100)


class ConversationsQuerySerializer(serializers.Serializer):
    archived = serializers.BooleanField(required=False, default=False)


class ExportQuerySerializer(serializers.Serializer):
    form = serializers.ChoiceField(choices=["json", "markdown"], default="json")
