"""The forms of annotation: projects, what is given to a person, what they answer, and what they may know of an item."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.core.confusion import Confusion
from evaluation.models import Annotation, AnnotationProject, ItemStanding, ProjectOrder, Settlement
from evaluation.services.annotation.answers import COMMENT_LIMIT, MOST_MILLISECONDS
from evaluation.services.annotation.queue import MOST_AT_ONCE, REASON_LIMIT


class AnnotationProjectSerializer(serializers.ModelSerializer):
    order = serializers.ChoiceField(choices=ProjectOrder.choices)
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = AnnotationProject
        fields = [
            "id", "space", "created_by", "name", "kind", "annotators", "gold_every", "order", "lease_minutes", "is_closed",
            "created_at",
        ]  # fmt: skip
        read_only_fields = fields


class ProjectInSerializer(serializers.Serializer):
    space = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    name = serializers.CharField(max_length=120)
    kind = serializers.CharField(max_length=40)
    annotators = serializers.IntegerField(default=2, help_text="How many people label each item.")
    gold_every = serializers.IntegerField(
        default=0, help_text="One in so many given items is a gold check; 0 for none."
    )
    order = serializers.ChoiceField(choices=ProjectOrder.choices, default=ProjectOrder.RANDOM)
    lease_minutes = serializers.IntegerField(default=30, help_text="How long an item is kept for whom it was given to.")
    guideline = serializers.CharField(default="", allow_blank=True, help_text="Empty for the guideline of the kind.")


class GuidelineSerializer(serializers.Serializer):
    version = serializers.IntegerField()
    text = serializers.CharField()


class GoldAccuracySerializer(serializers.Serializer):
    right = serializers.IntegerField()
    checked = serializers.IntegerField()


class OwnProgressSerializer(serializers.Serializer):
    """How far you are. Gold checks count as soon as their answers cannot be taken back any more."""

    labelled = serializers.IntegerField()
    last_hour = serializers.IntegerField()
    gold = GoldAccuracySerializer()


class ProjectProgressSerializer(serializers.Serializer):
    total = serializers.IntegerField()
    open = serializers.IntegerField()
    disputed = serializers.IntegerField()
    agreed = serializers.IntegerField()
    settled = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    wanted = serializers.IntegerField(help_text="How many labels are missing.")


class PersonProgressSerializer(serializers.Serializer):
    name = serializers.CharField()
    labelled = serializers.IntegerField()
    latest = serializers.DateTimeField()
    gold = GoldAccuracySerializer()


class ProjectDetailSerializer(AnnotationProjectSerializer):
    """A project as your role shows it: its progress is for readers of results, its people are for curators."""

    role = serializers.CharField(help_text="What you are here: owner, curator, annotator or reader.")
    guideline = GuidelineSerializer()
    definition = serializers.DictField(help_text="What is shown and asked: the definition of the kind.")
    own = OwnProgressSerializer(allow_null=True)
    progress = ProjectProgressSerializer(allow_null=True)
    people = PersonProgressSerializer(many=True)

    class Meta(AnnotationProjectSerializer.Meta):
        fields = [
            *AnnotationProjectSerializer.Meta.fields, "role", "guideline", "definition", "own", "progress", "people",
        ]  # fmt: skip
        read_only_fields = fields


class TakeSerializer(serializers.Serializer):
    count = serializers.IntegerField(default=2, min_value=1, max_value=MOST_AT_ONCE)


class GivenItemSerializer(serializers.Serializer):
    """An item that is yours until then; `token` goes with the answer. Nothing is told of what others say of it."""

    item = serializers.IntegerField(source="item_id")
    token = serializers.UUIDField()
    until = serializers.DateTimeField()
    content = serializers.DictField(source="item.content")
    guideline = serializers.IntegerField(source="guideline.version", help_text="The version of the guideline.")


class AnswerInSerializer(serializers.Serializer):
    answer = serializers.DictField(help_text="The name of each question with its label, or with its facts.")
    sent_as = serializers.UUIDField(help_text="Your own number of the answer: sent twice, it is stored once.")
    token = serializers.UUIDField(required=False, allow_null=True, default=None)
    comment = serializers.CharField(required=False, allow_blank=True, default="", max_length=COMMENT_LIMIT)
    milliseconds = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MOST_MILLISECONDS
    )


class AnswerSerializer(serializers.ModelSerializer):
    guideline = serializers.IntegerField(source="guideline.version")

    class Meta:
        model = Annotation
        fields = ["id", "item", "answer", "comment", "guideline", "sent_as", "created_at"]
        read_only_fields = fields


class SkipInSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=REASON_LIMIT)


class SideSerializer(serializers.Serializer):
    """What somebody else said; the name is told of items that ended, to readers of results."""

    answer = serializers.DictField()
    comment = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)


class SettlementSerializer(serializers.ModelSerializer):
    is_own = serializers.BooleanField(help_text="Whoever settled the item had labelled it, too: nobody else was left.")

    class Meta:
        model = Settlement
        fields = ["id", "item", "name", "answer", "reason", "is_own", "created_at"]
        read_only_fields = fields


class SettlementInSerializer(serializers.Serializer):
    answer = serializers.DictField()
    reason = serializers.CharField()
    again = serializers.BooleanField(default=False, help_text="Settle it although it is settled already.")


class AnnotationItemSerializer(serializers.Serializer):
    """An item and what you may know of it. Before your own answer is stored, that is its content alone."""

    id = serializers.IntegerField(source="item.pk")
    project = serializers.IntegerField(source="item.project_id")
    content = serializers.DictField(source="item.content")
    standing = serializers.ChoiceField(choices=ItemStanding.choices, allow_null=True)
    why = serializers.CharField(allow_blank=True, help_text="Why it was withdrawn.")
    own = AnswerSerializer(source="seen.own", allow_null=True)
    sides = SideSerializer(source="seen.sides", many=True)
    machine = serializers.DictField(source="seen.machine", allow_null=True)
    machine_by = serializers.CharField(source="seen.machine_by", allow_blank=True)
    gold = serializers.DictField(source="seen.gold", allow_null=True)
    final = serializers.DictField(source="seen.final", allow_null=True)
    settlements = SettlementSerializer(source="seen.settlements", many=True)


class DisputesQuerySerializer(serializers.Serializer):
    after = serializers.FloatField(required=False, allow_null=True, default=None)


class DisputeSerializer(serializers.Serializer):
    """An item that people disagree about, its sides in an order that tells nothing."""

    id = serializers.IntegerField(source="item.pk")
    content = serializers.DictField(source="item.content")
    sides = SideSerializer(many=True)


class DisputesSerializer(serializers.Serializer):
    next = serializers.FloatField(allow_null=True, help_text="`after` of the next page; null on the last.")
    results = DisputeSerializer(many=True)


class EstimateSerializer(serializers.Serializer):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class LabelAgreementSerializer(serializers.Serializer):
    name = serializers.CharField()
    share = serializers.FloatField()
    agreement = serializers.FloatField(allow_null=True)


class CellSerializer(serializers.Serializer):
    one = serializers.CharField()
    other = serializers.CharField()
    count = serializers.IntegerField()


@extend_schema_field(CellSerializer(many=True))
class ConfusionField(serializers.Field):
    """A confusion table as the list of its cells that are not empty."""

    def to_representation(self, value: Confusion) -> list[dict[str, Any]]:
        return [{"one": one, "other": other, "count": count} for (one, other), count in sorted(value.counts.items())]


class PairAgreementSerializer(serializers.Serializer):
    one = serializers.CharField()
    other = serializers.CharField()
    n = serializers.IntegerField()
    raw = serializers.FloatField()
    kappa = serializers.FloatField(allow_null=True)
    facts_f1 = serializers.FloatField(allow_null=True)
    confusion = ConfusionField(read_only=True)


class ComparisonSerializer(serializers.Serializer):
    items = serializers.IntegerField()
    n = serializers.IntegerField(help_text="How many pairs of labels are compared.")
    raw = EstimateSerializer()
    kappa = EstimateSerializer()
    alpha = EstimateSerializer()
    ordinal_alpha = EstimateSerializer(allow_null=True)
    facts_f1 = EstimateSerializer(allow_null=True)
    labels = LabelAgreementSerializer(many=True)
    confusion = ConfusionField(read_only=True)
    pairs = PairAgreementSerializer(many=True)
    warning = serializers.CharField(allow_blank=True)


class QuestionAgreementSerializer(serializers.Serializer):
    question = serializers.CharField(source="question.name")
    people = ComparisonSerializer(allow_null=True, help_text="People with one another.")
    machine = ComparisonSerializer(allow_null=True, help_text="People, or what they ended with, with the machine.")


class AgreementSerializer(serializers.Serializer):
    whole = QuestionAgreementSerializer(many=True)
    datasets = serializers.DictField(child=QuestionAgreementSerializer(many=True))
