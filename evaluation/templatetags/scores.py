"""Writes scores in plain words and shapes, with the papers' terms for experts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django import template
from django.utils.safestring import SafeString

from evaluation.selectors import ScoreStanding, TurnScoreView
from evaluation.selectors.timeline import LinePoint, ReplyScore, TimelineRound
from evaluation.services.score_promises import CURABLE
from evaluation.views.timeline import page_of
from memory.core.types import EntailmentLabel
from memory.templatetags.dashboard import address_with
from memory.templatetags.facts import explained

register = template.Library()

GLOSSARY = {
    "CS": "How far a reply follows from what was said before: the Consistency Score of D-SMART, from 0 (contradicts it) "
    "over 0.5 (says neither) to 1 (follows from it).",
    "DER": "The share of the replies so far that follow from what was said before: the Dialogue Entailment Rate of D-SMART. "
    "Replies without a score are not counted.",
    "facts": "The share of a reply's true statements among those that are true or false: the Dialogue Fact Score of "
    "TG- and GA-DRG.",
    "n": "How many replies had a score up to here: those that the rate counts.",
}
# Of a label its letter, its word and its shape; what has no label says so with a word and a shape of its own.
SIGNS = {
    EntailmentLabel.ENTAILMENT: ("E", "supported", "check", "supported"),
    EntailmentLabel.NEUTRAL: ("N", "neutral", "minus", "neutral"),
    EntailmentLabel.CONTRADICTION: ("C", "contradicted", "cross", "failed"),
    ScoreStanding.PENDING: ("…", "is being scored", "wait", "unscored"),
    ScoreStanding.NOT_SCORED: ("–", "not scored", "", "unscored"),
    ScoreStanding.NOT_ASKED: ("–", "not scored", "", "unscored"),
}
STRATEGIES = {
    "strongest_sentence": "sentence by sentence",
    "whole_history": "against the whole dialogue at once",
}
# The steps of remembering a round, as a person would divide them.
STEPS = {
    "sentences": ("words", "sentences", "embeddings", "postings"),
    "neighbours": ("links", "edges", "sessions"),
    "facts and conflicts": ("graph", "extraction", "statement", "conflicts", "update", "check"),
    "word senses": ("senses",),
    "digests": ("digests", "facts", "summaries", "insights"),
}


@dataclass(frozen=True)
class Times:
    """What a round took, in milliseconds: `total` to answer it, `reading` to remember it, and `rows` all that is known."""

    total: int | None
    reading: int | None
    rows: tuple[tuple[str, int], ...]


@register.simple_tag
def score_term(name: str, words: str = "") -> SafeString:
    """Return words that explain themselves when they are pointed at or focused."""
    return explained(words or name, GLOSSARY[name])


def sign_of(scored: Any) -> tuple[str, str, str, str]:
    return SIGNS[scored.label or scored.state]


@register.filter
def hint(scored: Any) -> str:
    """Return the word of a label for a place that has no room to say how often a verdict errs."""
    return "may contradict" if scored.label == EntailmentLabel.CONTRADICTION else sign_of(scored)[1]


# E, N or C or the mark of what has no label; its word, its shape and its tone.
for place, name in enumerate(("letter", "word", "shape", "tone")):
    register.filter(name, lambda scored, place=place: sign_of(scored)[place])


@register.filter
def figure(value: float | None) -> str:
    """Return a score with two decimals, halves up as the chart has them; what has none is never a number."""
    return "–" if value is None else str(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP))


@register.filter
def reading(strategy: str) -> str:
    """Return in plain words what a strategy holds a reply against."""
    return STRATEGIES.get(strategy, strategy)


@register.filter
def reader(model: str) -> str:
    """Return a model's name without the letters that tell its versions apart."""
    return model.split("/", 1)[0] if model.startswith("built-in/") else model


@register.filter
def may_be_scored(score: TurnScoreView) -> bool:
    """Say whether it is worth asking for a score again: nobody has asked yet, or what stood against it may have passed."""
    return score.state is ScoreStanding.NOT_ASKED or score.reason in CURABLE


@register.filter
def times_of(one: TimelineRound, scores: Sequence[ReplyScore]) -> Times:
    """Return what a round took: the reply, each stage of remembering, the score."""
    answer, stages = one.answer, one.round.stage_ms
    known = [
        ("first words of the reply", answer and answer.first_token_ms),
        ("the whole reply", answer and answer.total_ms),
        *(
            (words, round(sum(took)))
            for words, names in STEPS.items()
            if (took := [stages[name] for name in names if name in stages])
        ),
        *(("score", reply.score.milliseconds) for reply in scores),
    ]
    return Times(
        total=answer.total_ms if answer is not None else None,
        reading=round(sum(stages.values())) if stages else None,
        rows=tuple((words, took) for words, took in known if took is not None),
    )


@register.simple_tag(takes_context=True)
def place_of(context: dict[str, Any], point: LinePoint) -> str:
    """Return the address of a reply's round: on the open page, or on the page that has it."""
    anchor = f"#round-{point.round_id}"
    if point.round_id in context["there"]:
        return anchor
    return address_with(context, {"before": page_of(point.number, context["last"])}) + anchor
