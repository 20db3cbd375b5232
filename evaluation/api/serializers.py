"""The forms of scores and of the facts of replies."""

from __future__ import annotations

from rest_framework import serializers

from evaluation.core.reply_facts.types import GroundKind, Verdict
from evaluation.core.turn_consistency.types import Unscored
from evaluation.models import CheckState, FactGround, FactRecord
from evaluation.selectors import ScoreStanding
from memory.core.types import EntailmentLabel


class ScoresQuerySerializer(serializers.Serializer):
    after = serializers.IntegerField(
        required=False, default=-1, min_value=-1, max_value=2**31 - 1, help_text="Only turns with a larger index."
    )
    limit = serializers.IntegerField(required=False, default=100, min_value=1, max_value=200)


class ProbabilitiesSerializer(serializers.Serializer):
    entailment = serializers.FloatField()
    neutral = serializers.FloatField()
    contradiction = serializers.FloatField()


class DecidingSentenceSerializer(serializers.Serializer):
    """Words of a turn, and where they stand in its text."""

    turn = serializers.IntegerField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    text = serializers.CharField()


class TurnScoreSerializer(serializers.Serializer):
    """One of the assistant's turns. What was not scored has no figures, and `why` says why."""

    turn = serializers.IntegerField(source="turn_id")
    index = serializers.IntegerField(source="turn_index")
    round = serializers.IntegerField(source="round_id")
    state = serializers.ChoiceField(choices=[standing.value for standing in ScoreStanding])
    consistency = serializers.FloatField(allow_null=True, help_text="CS, from 0 (contradicts) to 1 (follows).")
    label = serializers.ChoiceField(choices=[label.value for label in EntailmentLabel], allow_null=True)
    probabilities = ProbabilitiesSerializer(source="verdict", allow_null=True)
    entailment_rate = serializers.FloatField(
        source="running.rate", allow_null=True, help_text="DER of the turns up to this one."
    )
    scored = serializers.IntegerField(source="running.scored", help_text="How many turns that rate counts.")
    premise = DecidingSentenceSerializer(allow_null=True, help_text="What was said before and decided.")
    hypothesis = DecidingSentenceSerializer(allow_null=True, help_text="The turn's own sentence that it decided about.")
    reason = serializers.ChoiceField(choices=[reason.value for reason in Unscored], allow_null=True)
    why = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    strategy = serializers.CharField(allow_blank=True)
    milliseconds = serializers.IntegerField(allow_null=True)


class SessionScoresSerializer(serializers.Serializer):
    """The figures of a whole session, and a page of its turns."""

    consistency = serializers.FloatField(allow_null=True, help_text="The mean CS of the scored turns.")
    entailment_rate = serializers.FloatField(source="rate.rate", allow_null=True, help_text="DER of the session.")
    scored = serializers.IntegerField(source="rate.scored")
    turns = serializers.IntegerField(help_text="How many turns the assistant has.")
    next = serializers.IntegerField(allow_null=True, help_text="`after` of the next page; null on the last.")
    results = TurnScoreSerializer(many=True)


class FactGroundSerializer(serializers.ModelSerializer):
    """A thing that the reply's facts were held against, in its words as they were."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in GroundKind])
    outside = serializers.IntegerField(
        source="outside_id", allow_null=True, help_text="The id of a passage or of knowledge."
    )

    class Meta:
        model = FactGround
        fields = ["id", "kind", "triple", "sentence", "turn", "outside", "title", "speaker", "words"]
        read_only_fields = fields


class FactSerializer(serializers.ModelSerializer):
    """A fact that the sentence from `start` to `end` of the reply's text claims, and the ground that decided."""

    verdict = serializers.ChoiceField(choices=[verdict.value for verdict in Verdict])
    ground = FactGroundSerializer(allow_null=True)

    class Meta:
        model = FactRecord
        fields = ["id", "text", "start", "end", "verdict", "probability", "ground"]
        read_only_fields = fields


class ReplyFactsSerializer(serializers.Serializer):
    """The facts of a reply by its latest check; `state` is null where none was asked for."""

    reply = serializers.IntegerField()
    turn = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=CheckState.choices, source="check.state", default=None, allow_null=True)
    why = serializers.CharField(source="check.why", default="", allow_blank=True)
    verifier = serializers.CharField(source="check.verifier", default="", allow_blank=True)
    splitter = serializers.CharField(source="check.splitter", default="", allow_blank=True)
    checked_at = serializers.DateTimeField(source="check.checked_at", default=None, allow_null=True)
    milliseconds = serializers.IntegerField(source="check.milliseconds", default=None, allow_null=True)
    claims = serializers.IntegerField(source="figures.claims")
    supported = serializers.IntegerField(source="figures.supported")
    fact_score = serializers.FloatField(source="figures.score", allow_null=True, help_text="Dialogue Fact Score.")
    neip = serializers.FloatField(source="figures.not_enough", allow_null=True)
    facts = FactSerializer(many=True)
    grounds = FactGroundSerializer(many=True)
