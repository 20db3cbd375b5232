"""The forms of runs and of their items."""

from __future__ import annotations

from rest_framework import serializers

from evaluation.models import EvaluationRun, ItemState, RunItem, RunKind, RunState
from evaluation.selectors.run_items import Standing
from evaluation.services.overrides import COMMENT_LIMIT


class RunsQuerySerializer(serializers.Serializer):
    text = serializers.CharField(required=False, default="", help_text="Words of the name, the data or the comment.")
    benchmark = serializers.CharField(required=False, default="")
    system = serializers.CharField(required=False, default="")
    engine = serializers.CharField(required=False, default="")
    tag = serializers.CharField(required=False, default="")
    state = serializers.ChoiceField(choices=RunState.choices, required=False, default="")
    who = serializers.IntegerField(required=False, default=None, min_value=1, max_value=2**31 - 1)


class RunSerializer(serializers.ModelSerializer):
    """A run. `identity` is what its figures depend on, `plan` what was asked for."""

    kind = serializers.ChoiceField(choices=RunKind.choices)
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    plan = serializers.DictField()
    identity = serializers.DictField()

    class Meta:
        model = EvaluationRun
        fields = [
            "id", "space", "created_by", "name", "comment", "tags", "kind", "benchmark", "data_name", "systems", "engine",
            "judge", "plan", "identity", "identity_digest", "state", "why", "keeps_spaces", "created_at", "started_at",
            "ended_at",
        ]  # fmt: skip
        read_only_fields = fields


class ProgressSerializer(serializers.Serializer):
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="They have no reply, and count as wrong.")
    cached = serializers.IntegerField()
    unscored = serializers.IntegerField(help_text="They have a reply, and a score of theirs could not be taken.")
    seconds_left = serializers.FloatField(allow_null=True)


class FigureSerializer(serializers.Serializer):
    """One figure in the form of every measurement; without a value, `why` says why."""

    name = serializers.CharField(help_text="The system.")
    metric = serializers.CharField()
    group = serializers.CharField(allow_blank=True, help_text='A category or "turn 3"; empty for all items.')
    value = serializers.FloatField(allow_null=True)
    unit = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    why = serializers.CharField(allow_blank=True)


class RunDetailSerializer(RunSerializer):
    """A run, how far it is, and its figures: a person's scores count in place of measured ones."""

    progress = ProgressSerializer()
    figures = FigureSerializer(many=True)

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "progress", "figures"]
        read_only_fields = fields


class ItemsQuerySerializer(serializers.Serializer):
    system = serializers.CharField(required=False, default="")
    category = serializers.CharField(required=False, default=None, allow_blank=True)
    standing = serializers.ChoiceField(choices=[one.value for one in Standing], required=False, default=None)
    metric = serializers.CharField(required=False, default="", help_text="By which score an item is right or wrong.")
    text = serializers.CharField(required=False, default="")
    after = serializers.IntegerField(
        required=False, default=-1, min_value=-1, max_value=2**31 - 1, help_text="Only items with a larger index."
    )


class OverrideSerializer(serializers.Serializer):
    """A person's score, or, without a value, that theirs was taken back."""

    value = serializers.FloatField(allow_null=True)
    comment = serializers.CharField(allow_blank=True)
    by = serializers.CharField(source="by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()


class ItemScoreSerializer(serializers.Serializer):
    metric = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="The score as it counts.")
    measured = serializers.FloatField(allow_null=True)
    why = serializers.CharField(allow_blank=True, help_text="Why it could not be taken.")
    reason = serializers.CharField(allow_blank=True, help_text="What a judge said.")
    overrides = OverrideSerializer(many=True, source="history")


class RunItemSerializer(serializers.ModelSerializer):
    case = serializers.CharField(source="case.key")
    state = serializers.ChoiceField(choices=ItemState.choices)
    scores = ItemScoreSerializer(many=True, source="shown")

    class Meta:
        model = RunItem
        fields = [
            "id", "run", "index", "case", "key", "system", "repeat", "position", "category", "question", "expected",
            "evidence", "found", "state", "reply", "error", "first_token_ms", "total_ms", "calls", "prompt_tokens",
            "completion_tokens", "is_cached", "scores",
        ]  # fmt: skip
        read_only_fields = fields


class ItemsSerializer(serializers.Serializer):
    next = serializers.IntegerField(allow_null=True, help_text="`after` of the next page; null on the last.")
    results = RunItemSerializer(many=True)


class ItemDetailSerializer(RunItemSerializer):
    """An item with what its reply rests on, and how it came about."""

    passages = serializers.ListField(child=serializers.DictField())
    trace = serializers.ListField(child=serializers.DictField())

    class Meta(RunItemSerializer.Meta):
        fields = [*RunItemSerializer.Meta.fields, "passages", "trace"]
        read_only_fields = fields


class OverrideInSerializer(serializers.Serializer):
    metric = serializers.CharField(max_length=60)
    value = serializers.FloatField(allow_null=True, help_text="Null takes your score back.")
    comment = serializers.CharField(max_length=COMMENT_LIMIT, allow_blank=True, default="")
