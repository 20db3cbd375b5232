"""Writes traces in plain words, with the papers' terms for experts."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from conversations.core.choices import RESPONDERS
from memory.selectors.tracing import ModelUse
from memory.templatetags.facts import explained
from memory.trace_views.model_call import told

register = template.Library()

GLOSSARY = {
    "score": "How promising a step looked, between 0 and 1: the value of a state in D-SMART's reasoning tree.",
    "level": "All steps at the same distance from your question: the depth of the reasoning tree.",
    "wait": "A batch of calls to the language model that had to come back before the search could go on.",
    "call": "One question put to the language model.",
    "token": "The piece of a word in which a language model reads and writes.",
    "beam": "How many of the most promising steps are followed on each level: the width of the beam.",
    "idea": "How many next steps are proposed from each step that is followed: the action samples.",
    "expansion": "From how many steps the search may go on in all: the expansion steps of D-SMART.",
    "fit": "How well something fits the question. Comparable within one list only.",
    "breadth": "How many ways of taking the question apart were tried: the breadth of GOAL-MEM's search.",
    "depth": "How often it had to be found out first what something needs: the depth of GOAL-MEM's search.",
    "subgoal": "One thing that has to hold for the answer to hold: a subgoal of the proof.",
    "unifier": "The values that make a subgoal follow from the words that it rests on.",
    "role": "What the language model was asked to do: a role of the engine.",
}


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """Return words with a tooltip that explains them."""
    return explained(words or name, GLOSSARY[name])


@register.filter
def score(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@register.filter
def whole(milliseconds: float) -> int:
    return round(milliseconds)


@register.filter
def way_of_answering(responder: str) -> str:
    """Return the label of a responder in the list of choices."""
    return next((choice.label for choice in RESPONDERS if choice.name == responder), responder)


@register.filter
def as_use(annotated: dict[str, Any] | None) -> ModelUse:
    """Return what language models were asked, of the annotation that a reply or a round was read with."""
    return ModelUse.of(annotated)


@register.filter
def told_use(annotated: dict[str, Any] | None) -> str:
    """Return in words what language models were asked, nothing where they were not."""
    use = ModelUse.of(annotated)
    return told(use) if use.calls else ""
