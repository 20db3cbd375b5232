"""Writes what a reply states: its words with what is not supported marked, and verdicts in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django import template
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from conversations import markdown
from conversations.models import Reply
from evaluation.core.reply_facts.checking import Marking, marked, text_of
from evaluation.core.reply_facts.types import FactFigures, Verdict
from evaluation.templatetags.scores import figure
from evaluation.views.facts import Claim
from memory.templatetags.facts import explained
from memory.templatetags.places import with_places

register = template.Library()

VERDICTS = {
    Verdict.TRUE: "Supported by",
    Verdict.FALSE: "Contradicted by",
    Verdict.NOT_ENOUGH: "Nothing that I know says so.",
}


@dataclass(frozen=True)
class MarkedWords:
    """A reply's words as HTML, and the claims that could not be found in them."""

    html: SafeString
    lost: Sequence[Claim]


@register.simple_tag
def marked_words(reply: Reply, claims: Sequence[Claim]) -> MarkedWords:
    """Return the words of a reply, as the chat shows them, with its claims marked."""
    html = markdown.render(reply.text)
    if reply.engine == "builtin":
        html = with_places(html)
    markings = {marking_of(reply, claim): claim for claim in claims}
    found, lost = marked(html, list(markings))
    return MarkedWords(mark_safe(found), [markings[one] for one in lost])  # noqa: S308 (cleaned by `markdown`, then our own)


def marking_of(reply: Reply, claim: Claim) -> Marking:
    element, kind = ("s", "is-false") if claim.is_false else ("span", "is-unknown")
    context = {"claim": claim, "reply": reply, "id": f"claim-{reply.pk}-{claim.number}"}
    opening = format_html("<" + element + ' class="claim {}" aria-describedby="{}-sign">', kind, context["id"])
    return Marking(
        words=text_of(markdown.render(reply.text[claim.start : claim.end])),
        before=reply.text[: claim.start],
        opening=opening,
        closing=f"</{element}>",
        sign=render_to_string("evaluation/_claim_sign.html", context).strip(),
        below=render_to_string("evaluation/_claim.html", context).strip(),
    )


@register.filter
def verdict_words(verdict: str) -> str:
    return VERDICTS.get(Verdict(verdict), "")


@register.simple_tag
def supported_share(figures: FactFigures) -> SafeString:
    """Return "3 of 4 statements are supported" with the paper's figures as its explanation."""
    plural = "statement is" if figures.claims == 1 else "statements are"
    meaning = (
        f"Dialogue Fact Score {figure(figures.score)}: the share of the true ones among the {figures.decided} that are true "
        f"or false. NEIP {figure(figures.not_enough)}: the share of those for which there is not enough information."
    )
    return explained(f"{figures.supported} of {figures.claims} {plural} supported", meaning)
