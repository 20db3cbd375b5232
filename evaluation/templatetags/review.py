"""Writes what is labelled, what people answer and what was done in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django import template
from django.contrib.auth.models import User
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from evaluation.core.annotation.catalogue import kind_named
from evaluation.core.annotation.content import headline_of as headline_field
from evaluation.core.annotation.content import marked
from evaluation.core.annotation.types import Answer, ProjectKind, Question, QuestionForm, ShownField
from evaluation.models import AnnotationItem, ItemStanding, ReviewEvent
from memory.models import ConflictRecord
from memory.templatetags.facts import explained

register = template.Library()

SIGNS = {
    ItemStanding.OPEN: ("open", "wait", ""),
    ItemStanding.DISPUTED: ("in dispute", "split", "conflict"),
    ItemStanding.AGREED: ("agreed", "check", "supported"),
    ItemStanding.SETTLED: ("settled", "check", "supported"),
    ItemStanding.WITHDRAWN: ("withdrawn", "strike", "superseded"),
}
EVENTS = {
    "make": "made a project",
    "delete": "deleted a project",
    "close": "closed the project",
    "reopen": "opened the project again",
    "guideline": "wrote version {version} of the guideline",
    "fill": "added {items}",
    "import": "brought in {items} from a file",
    "label": "labelled {times}",
    "undo": "took back what was said of {times}",
    "skip": "skipped {times}",
    "settle": "settled {times}",
    "withdraw": "withdrew an item",
    "export": "took finished items out ({form})",
    "unblind": "took all labels out ({form}), those of open items too",
    "override": "put figures of {times} into a run",
    "correct": "corrected the memory by {times}",
    "invite": "made an invitation as {role}",
    "uninvite": "withdrew an invitation",
    "join": "joined as {role}",
    "role": "made {who} {role}",
    "remove": "ended the part of {who}",
}
OF_ITEMS = {name for name, words in EVENTS.items() if "{times}" in words}
DECISIONS = {
    ConflictRecord.Decision.SUPERSEDED: "the new replaces the old",
    ConflictRecord.Decision.BOTH: "both hold",
    ConflictRecord.Decision.KEPT: "the old one stands",
}
TERMS = {
    "raw": "The share of the items on which two people said the same.",
    "kappa": "Cohen's kappa: agreement beyond what two people would reach by chance. 0 is chance, 1 is always the same; "
    "above 0.6 is often called substantial.",
    "alpha": "Krippendorff's alpha: agreement beyond chance among any number of people, also where some said nothing. Above "
    "0.8 is reliable, above 0.67 allows tentative conclusions.",
    "ordinal_alpha": "Krippendorff's alpha where labels are in order: one step apart is less of a disagreement than two.",
    "facts_f1": "Of all facts that two sides wrote down, the share that both have.",
    "interval": "If the items had been drawn anew, the figure would lie here 95 times of 100.",
    "specific": "Of all answers with this label, the share that the other side gave too.",
    "gold": "Items whose answer is known, mixed in to see how right somebody is. They count in no other figure.",
}


@register.simple_tag
def review_term(name: str, words: str = "") -> SafeString:
    return explained(words or name, TERMS[name])


@register.filter
def kind_title(name: str) -> str:
    return kind_named(name).title


@register.filter
def team_name(space: Any, user: User) -> str:
    """Return the name of a space that `with_owners` gave; of another's memory whose it is."""
    owner = space.owned_by
    return f"{space.name} of {owner}" if owner and owner != user.get_username() else space.name


@register.filter
def is_at_once(kind: ProjectKind) -> bool:
    """Return whether one key answers an item: it is then stored at once."""
    return len(kind.questions) == 1 and kind.questions[0].form is QuestionForm.CHOICE


@register.filter
def shown_of(item: AnnotationItem, kind: ProjectKind) -> Iterator[tuple[ShownField, Any]]:
    """Yield the fields of an item that are there, in the order of its kind."""
    return ((field, item.content[field.name]) for field in kind.shown if item.content.get(field.name))


@register.filter
def headline_of(item: AnnotationItem, kind: ProjectKind) -> str:
    return str(item.content[headline_field(kind).name])


@register.filter
def marked_by(text: str, headline: str) -> SafeString:
    """Return a text with the words of a headline marked."""
    pieces = marked(text, headline=headline)
    return format_html_join(
        "", "{}{}{}", ((MARK[is_marked][0], piece, MARK[is_marked][1]) for piece, is_marked in pieces)
    )


MARK = {True: (SafeString("<mark>"), SafeString("</mark>")), False: ("", "")}


@register.filter
def said(answer: Answer, kind: ProjectKind) -> list[tuple[Question, Any]]:
    """Return an answer question by question: the label that was chosen, or the facts."""
    told = [(question, answer[question.name]) for question in kind.questions if question.name in answer]
    return [(one, given if one.form is QuestionForm.FACTS else one.label(str(given))) for one, given in told]


@register.filter
def drawn(value: float, first: int = 0) -> str:
    """Return where a figure stands, in per cent of a line from `first` to 1."""
    return f"{100 * (value - first) / (1 - first):.1f}"


@register.filter
def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


@register.filter
def decision_words(decision: str) -> str:
    """Return what the memory decided of a conflict."""
    return DECISIONS[ConflictRecord.Decision(decision)]


@register.filter
def as_json(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False)


for place, name in enumerate(("standing_word", "standing_shape", "standing_tone")):
    register.filter(name, lambda item, place=place: SIGNS[ItemStanding(item.standing)][place])


@register.filter
def folded(events: Iterable[ReviewEvent]) -> Iterator[tuple[ReviewEvent, int]]:
    """Return events, the newest first; what one person did to items of one project is one, with how often."""
    rows: dict[object, list[ReviewEvent]] = {}
    for event in events:
        key = (event.name, event.what, event.project_id) if event.what in OF_ITEMS else event.pk
        rows.setdefault(key, []).append(event)
    return ((same[0], len(same)) for same in rows.values())


@register.filter
def event_words(event: ReviewEvent, times: int) -> str:
    """Return what somebody did: "ana settled 3 items"."""
    about = {"items": "some", "version": "a", "form": "file", "role": "", "who": "somebody", **event.about}
    about["times"] = "an item" if times == 1 else f"{times} items"
    about["items"] = "1 item" if about["items"] == 1 else f"{about['items']} items"
    return f"{event.name} {EVENTS.get(event.what, event.what).format_map(about)}"
