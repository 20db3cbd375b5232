"""The form in which a reply's reasoning tree goes out of the API."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from conversations.models import ReasoningArgument, ReasoningNode, ReasoningNodeTriple, ReasoningTree


class ReasoningArgumentSerializer(serializers.ModelSerializer):
    name = serializers.SerializerMethodField(help_text="The entity's name as it is now, or what no entity is called.")

    class Meta:
        model = ReasoningArgument
        fields = ["entity", "name"]
        read_only_fields = fields

    def get_name(self, argument: ReasoningArgument) -> str:
        return argument.entity.label if argument.entity is not None else argument.name


class ReasoningTripleSerializer(serializers.ModelSerializer):
    triple = serializers.IntegerField(source="triple_id")
    text = serializers.CharField(source="triple.sentence.text", help_text="The sentence that it was read from.")
    is_active = serializers.SerializerMethodField()

    class Meta:
        model = ReasoningNodeTriple
        fields = ["triple", "text", "is_active"]
        read_only_fields = fields

    def get_is_active(self, found: ReasoningNodeTriple) -> bool:
        return found.triple is not None and found.triple.superseded_at is None


class ReasoningNodeSerializer(serializers.ModelSerializer):
    """A step. The root has number 0, no parent and no action; `value` is null where none was given."""

    arguments = ReasoningArgumentSerializer(many=True, read_only=True)
    triples = ReasoningTripleSerializer(source="triples_added", many=True, read_only=True)

    class Meta:
        model = ReasoningNode
        fields = [
            "number",
            "parent",
            "depth",
            "action",
            "arguments",
            "text",
            "value",
            "fate",
            "reason",
            "triples",
            "prompt_tokens",
            "completion_tokens",
            "milliseconds",
        ]
        read_only_fields = fields


class ReasoningTreeSerializer(serializers.ModelSerializer):
    """A search. While it runs, or where it was cut short, `stopped_by` is empty, and `best` and `config` are null."""

    config = serializers.SerializerMethodField(help_text="The limits that the search ran under; null is no limit.")
    failures = serializers.ListField(child=serializers.CharField(), read_only=True)
    nodes = ReasoningNodeSerializer(many=True, read_only=True)

    class Meta:
        model = ReasoningTree
        fields = [
            "index",
            "best",
            "stopped_by",
            "config",
            "calls",
            "prompt_tokens",
            "completion_tokens",
            "waits",
            "milliseconds",
            "failures",
            "has_forgotten",
            "created_at",
            "nodes",
        ]
        read_only_fields = fields

    @extend_schema_field(
        {"type": "object", "additionalProperties": {"type": "number", "nullable": True}, "nullable": True}
    )
    def get_config(self, tree: ReasoningTree) -> dict[str, float | None] | None:
        return tree.config
