"""How a search through what is remembered is told in plain words, with the papers' terms where experts look."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from conversations.models import ReasoningNode, ReasoningTree, Reply
from conversations.views.reasoning import Step
from memory.core.reasoning_tree.types import ActionKind, Fate, StopReason

register = template.Library()

FATES = {
    Fate.KEPT: "kept in view",
    Fate.PRUNED: "set aside",
    Fate.DUPLICATE: "same as another step",
    Fate.DROPPED: "could not be used",
}
ENDINGS = {
    StopReason.ANSWERED: "found an answer",
    StopReason.DEPTH: "deepest level",
    StopReason.EXPANSIONS: "most steps",
    StopReason.CALLS: "calls used up",
    StopReason.TOKENS: "tokens used up",
    StopReason.SECONDS: "time used up",
    StopReason.EXHAUSTED: "nothing more to try",
}
GLOSSARY = {
    "score": "How promising a step looked, between 0 and 1: the value of a state in D-SMART's reasoning tree.",
    "level": "All steps at the same distance from your question: the depth of the reasoning tree.",
    "wait": "A batch of calls to the language model that had to come back before the search could go on.",
    "call": "One question put to the language model.",
    "token": "The piece of a word in which a language model reads and writes.",
    "beam": "How many of the most promising steps are followed on each level: the width of the beam.",
    "idea": "How many next steps are proposed from each step that is followed: the action samples.",
    "expansion": "From how many steps the search may go on in all: the expansion steps of D-SMART.",
}


@register.simple_tag
def term(name: str, words: str = "") -> SafeString:
    """Return words that explain themselves when they are pointed at or focused."""
    return format_html(
        '<dfn class="term" tabindex="0">{}<span class="meaning" role="tooltip">{}</span></dfn>',
        words or name,
        GLOSSARY[name],
    )


@register.filter
def became(step: Step) -> str:
    """Return what became of a step."""
    if step.is_end:
        return "the answer" if step.node.action == ActionKind.ANSWER else "the reply was written from here"
    if step.node.number == 0:
        return ""
    return "led to the answer" if step.is_way else FATES[Fate(step.node.fate)]


@register.filter
def did(step: Step) -> str:
    """Return what a step did: "Looked at Maya"; a thought and an answer follow in their own words."""
    match step.node.action:
        case "":
            return "Started from your question" if step.node.parent is None else "A proposal that could not be read"
        case ActionKind.EXPAND_ENTITY:
            if not step.names:
                return "Looked at something that is forgotten now"
            return f"Looked at {'what I know of you' if step.names[0] == 'you' else step.names[0]}"
        case ActionKind.FIND_PATH:
            ends = " and ".join(step.names) if len(step.names) > 1 else "two things, not both of which are still known"
            return f"Looked for a way between {ends}"
        case ActionKind.THINK:
            return "Thought it over"
        case _:
            return "Drafted an answer"


@register.filter
def ending(tree: ReasoningTree, reply: Reply) -> str:
    """Return in a sentence why a search ended, or that it has not."""
    if not tree.stopped_by:
        if not reply.is_terminal:
            return "I am still looking."
        return "You stopped this search." if reply.state == "stopped" else "This search was interrupted."
    limits = tree.config or {}
    best = "The best that I had found by then was taken."
    match StopReason(tree.stopped_by):
        case StopReason.ANSWERED:
            return "I stopped when every way that was still in view had come to an answer."
        case StopReason.DEPTH:
            return f"I stopped after {limits['max_depth']} levels, as deep as a search may go. {best}"
        case StopReason.EXPANSIONS:
            return f"I stopped after going on from {limits['max_expansions']} steps, as many as a search may. {best}"
        case StopReason.CALLS:
            return f"I stopped because the {limits['max_calls']} calls that a reply may make were used up. {best}"
        case StopReason.TOKENS:
            return f"I stopped because the {limits['max_tokens']} tokens that a reply may take were used up. {best}"
        case StopReason.SECONDS:
            return f"I stopped because the {limits['max_seconds']:g} seconds that a reply may take were over. {best}"
        case _:
            return "I stopped because there was nothing more to try."


@register.filter
def score(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


@register.filter
def ended(tree: ReasoningTree, reply: Reply) -> str:
    """Return in a word or two how a search ended."""
    if tree.stopped_by:
        return ENDINGS[StopReason(tree.stopped_by)]
    return "stopped by you" if reply.state == "stopped" else "interrupted" if reply.is_terminal else "still looking"


@register.filter
def tokens(node: ReasoningNode) -> int:
    return node.prompt_tokens + node.completion_tokens


@register.filter
def whole(milliseconds: float) -> int:
    return round(milliseconds)
