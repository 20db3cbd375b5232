"""Writes facts, conflicts and edits in plain words for pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django import template
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.core.english.address import addressed
from memory.core.english.inflection import words_of_name
from memory.core.knowledge_graph.verbalisation import Assertion, period, sentence, thing_text
from memory.core.naming import key_of
from memory.core.types import Axiom, ConflictRule, Modality, Polarity, Role, Tense
from memory.models import ConflictRecord, EditRecord, EntityRecord, HeldFragmentRecord, TripleRecord
from memory.services.accounts import own_names, speaker_name
from memory.services.edits.decide import Verdict
from memory.services.edits.joining import KEY_LIMIT
from memory.services.edits.stamps import conflict_stamp, entity_stamp, triple_stamp
from memory.services.edits.wording import assertion_of_row
from memory.services.forgetting import FORGOTTEN_REASON

register = template.Library()

REASONS = {
    ConflictRule.FUNCTIONAL_VALUE: "Only one of the two can be so at a time.",
    ConflictRule.POLARITY: "The one denies the other.",
    ConflictRule.DISJOINT_PROPERTIES: "Nobody can mean both of the same thing.",
    ConflictRule.TEMPORAL_PARADOX: "The times of the two cannot both be right.",
    ConflictRule.ENDED: "It was said to be over.",
    ConflictRule.CORRECTED: "It was corrected by hand.",
    ConflictRule.LEARNED: "What was said later reads as if it were so no longer.",
    ConflictRule.MODEL: "The language model found that the two cannot both be so.",
}
RULE_MEANINGS = {
    ConflictRule.FUNCTIONAL_VALUE: "There is only one such value at a time, such as where somebody lives.",
    ConflictRule.POLARITY: "One of the two says that something is so, the other that it is not.",
    ConflictRule.DISJOINT_PROPERTIES: "The two things that are said exclude each other, such as to like and to hate.",
    ConflictRule.TEMPORAL_PARADOX: "The dates of the two cannot both be right, such as a death before a birth.",
    ConflictRule.ENDED: "The later one says that the earlier one is over.",
    ConflictRule.CORRECTED: "A person put the earlier one right.",
    ConflictRule.LEARNED: "No rule applied; a small model that learned from examples read both sentences.",
    ConflictRule.MODEL: "No rule applied; the language model was asked and found a contradiction.",
}
BOTH_STAND = "The language model read both and says that they go together, so both stand."
PRECEDENCE = "What was said last counts."
PRECEDENCE_OF_PERSONS = "What people say counts more than what I say, and most what they say of themselves."
# Clashes that the two facts beside the reason already tell; the others need the words of the check.
PLAIN_CLASHES = {
    Axiom.FUNCTIONAL: "Only one of the two can be so at a time.",
    Axiom.ASYMMETRIC: "It cannot be so both ways round.",
    Axiom.DISJOINT_PROPERTIES: "Both cannot be so at once.",
    Axiom.NEGATIVE_ASSERTION: "The one denies the other.",
}


@register.simple_tag(takes_context=True)
def fact_words(context: dict[str, Any], fact: TripleRecord) -> str:
    """Return a fact as a plain sentence to the reader, in the tense in which it was believed."""
    return words_of(fact, names=names_of_reader(context), at=timezone.now())


def words_of(fact: TripleRecord, *, names: tuple[str, ...], at: datetime) -> str:
    """Return a fact as a sentence to the person with these names, the first of which is the one of now."""
    # A superseded fact is shown struck through: it keeps the tense in which it was believed.
    is_over = fact.superseded_at is None and fact.valid_to is not None and fact.valid_to <= at
    words = sentence(replace(assertion_of_row(fact), is_former=is_over), asker=names[0])
    return addressed(words, names=names[1:])


@register.simple_tag(takes_context=True)
def who(context: dict[str, Any], speaker: str) -> str:
    """Return "you" for the reader, the product's name for its own replies, and the name of anybody else."""
    if speaker in names_of_reader(context):
        return "you"
    return "D-SMART" if speaker == Role.ASSISTANT else speaker


@register.simple_tag(takes_context=True)
def called(context: dict[str, Any], entity: EntityRecord) -> str:
    """Return "You" for the reader, "your sister" for "Ana's sister" where that is Ana, and the label of any other entity."""
    return called_to(names_of_reader(context), entity)


def called_to(names: tuple[str, ...], entity: EntityRecord) -> str:
    """Return what an entity is called to the person with these names."""
    if entity.label in names:
        return "You" if entity.is_speaker else entity.label
    return addressed(entity.label, names=names)


@register.simple_tag(takes_context=True)
def to_reader(context: dict[str, Any], text: str) -> str:
    """Return a name or sentences that were written for everybody, with the reader as "you"."""
    return addressed(text, names=names_of_reader(context))


@register.simple_tag(takes_context=True)
def name_words(context: dict[str, Any], name: str) -> str:
    """Return a name as the reader hears it within a sentence: "you", "your sister" for "Ana's sister", or the name."""
    told = (thing_text(name, asker=own) for own in names_of_reader(context))
    return next((words for words in told if words.startswith("you")), name)


@register.simple_tag(takes_context=True)
def name_of(context: dict[str, Any], user: User) -> str:
    """Return "you" for the reader, and the name of any other account."""
    return "you" if user.pk == context["request"].user.pk else speaker_name(user)


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """Return a time in its shortest clear form: "10:01", "2 Nov, 10:01", "2 Nov 2024, 10:01"."""
    local, now = timezone.localtime(at), timezone.localtime()
    style = "H:i" if local.date() == now.date() else "j M, H:i" if local.year == now.year else "j M Y, H:i"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), date_format(local, style))


@register.filter
def day(iso: str) -> str:
    """Return a day that is written in ISO 8601 as lists write it: "2 Nov 2024"; "" for none."""
    return date_format(date.fromisoformat(iso), "j M Y") if iso else ""


@register.filter
def since_when(start: datetime | None, end: datetime | None = None) -> str:
    """Return when something is so, no more exactly than it was said: "since 2015", "from May 2020 until 3 June 2021"."""
    return period(*(timezone.localtime(moment) if moment is not None else None for moment in (start, end)))


@register.simple_tag(takes_context=True)
def conflict_reason(context: dict[str, Any], conflict: ConflictRecord) -> str:
    """Return in plain words why one fact superseded another, and who decided it if a person did."""
    if conflict.decided_by is None and conflict.decision == ConflictRecord.Decision.BOTH:
        return f"The rule says: {REASONS[ConflictRule(conflict.rule)]} {BOTH_STAND}"
    if conflict.decided_by is None:
        return f"{REASONS[ConflictRule(conflict.rule)]} {precedence_of(conflict)}".strip()
    name = who(context, speaker_name(conflict.decided_by))
    did = "corrected it" if conflict.rule == ConflictRule.CORRECTED else "decided so"
    return f"{name[:1].upper()}{name[1:]} {did}."


def precedence_of(conflict: ConflictRecord) -> str:
    """Return a sentence about whose word counted more; empty where the rule says it already."""
    if conflict.rule == ConflictRule.CORRECTED:
        return ""
    if conflict.decision == ConflictRecord.Decision.KEPT:
        is_last = conflict.old.said_at > conflict.new.said_at
    else:
        is_last = conflict.new.said_at >= conflict.old.said_at
    if not is_last:
        return PRECEDENCE_OF_PERSONS
    return "" if conflict.rule == ConflictRule.ENDED else PRECEDENCE


@register.simple_tag
def sureness(conflict: ConflictRecord) -> str:
    """Return how sure a learned rule was (" (93% sure)"); empty for the others."""
    return "" if conflict.confidence is None else f" ({conflict.confidence:.0%} sure)"


@register.filter
def verdict_open(conflict: ConflictRecord) -> str:
    """Return the verdict with which a person may reverse a conflict now; empty where there is none."""
    if conflict.decision == ConflictRecord.Decision.BOTH:
        both_stand = conflict.old.superseded_at is None and conflict.new.superseded_at is None
        return Verdict.ACCEPT.value if both_stand else ""
    if conflict.decision == ConflictRecord.Decision.KEPT:
        winner, loser, verdict = conflict.new, conflict.old, Verdict.ACCEPT
    else:
        winner, loser, verdict = conflict.old, conflict.new, Verdict.REVERSE
    is_open = winner.superseded_by_id == loser.pk and loser.superseded_at is None
    return verdict.value if is_open else ""


@register.filter
def other_names(entity: EntityRecord) -> list[str]:
    """Return the names of an entity besides its label."""
    return [alias.text for alias in entity.aliases.all() if alias.key != key_of(entity.label)[:KEY_LIMIT]]


@register.filter
def kind_words(kind: str) -> str:
    """Return a class of the ontology in words: "living being"."""
    return " ".join(words_of_name(kind)).lower() if kind else ""


@register.filter
def name_in_words(predicate: str) -> str:
    """Return a predicate in words: "works for"."""
    return " ".join(words_of_name(predicate))


@register.filter
def verdict_kept(conflict: ConflictRecord) -> str:
    """Return the verdict with which a person may confirm what the rules decided; empty where it does not hold any more."""
    if conflict.decided_by_id is not None or conflict.decision == ConflictRecord.Decision.BOTH:
        return ""
    is_kept = conflict.decision == ConflictRecord.Decision.KEPT
    winner = conflict.old if is_kept else conflict.new
    return (Verdict.REVERSE if is_kept else Verdict.ACCEPT).value if winner.superseded_at is None else ""


@register.filter
def seen(row: TripleRecord | ConflictRecord | EntityRecord) -> str:
    """Return the stamp of a row as the reader sees it, for the form that edits it."""
    if isinstance(row, ConflictRecord):
        return conflict_stamp(row)
    if isinstance(row, EntityRecord):
        return entity_stamp(row, [alias.text for alias in row.aliases.all()])
    return triple_stamp(row)


@register.simple_tag(takes_context=True)
def held_words(context: dict[str, Any], fragment: HeldFragmentRecord) -> str:
    """Return a held-back fragment as plain sentences to the reader."""
    asker = reader_of(context)
    return " ".join(sentence(held_assertion(fact), asker=asker) for fact in fragment.facts)


def held_assertion(fact: dict[str, Any]) -> Assertion:
    return Assertion(
        subject=fact["subject"]["label"],
        predicate=fact["predicate"],
        object=fact["object"]["label"],
        polarity=Polarity(fact["polarity"]),
        tense=Tense(fact["tense"]),
        is_any=fact["object"]["is_any"],
        object_kind=fact["object"]["kind"],
    )


@register.filter
def held_reason(fragment: HeldFragmentRecord) -> str:
    """Return in plain words why a fragment was held back."""
    if fragment.reason == FORGOTTEN_REASON:
        return fragment.reason
    return PLAIN_CLASHES.get(Axiom(fragment.axiom), fragment.reason)


@register.simple_tag(takes_context=True)
def editor(context: dict[str, Any], edit: EditRecord) -> str:
    """Return who made an edit: "you" or a name; empty for a command or a deleted account."""
    return who(context, speaker_name(edit.actor)) if edit.actor is not None else ""


@register.filter
def was_believed(fact: TripleRecord) -> bool:
    """Return whether a superseded fact ever held; a fact that was overruled when it was said never did."""
    return fact.superseded_at is None or fact.superseded_at > fact.recorded_at


def explained(words: str, meaning: str) -> SafeString:
    """Return words with a tooltip that tells their meaning when they are pointed at or focused."""
    term = '<dfn class="term" tabindex="0">{}<span class="meaning" role="tooltip">{}</span></dfn>'
    return format_html(term, words, meaning)


@register.simple_tag
def rule_term(rule: str) -> SafeString:
    """Return the name of a conflict rule with a tooltip that explains it."""
    return explained(rule_name(rule), RULE_MEANINGS[ConflictRule(rule)])


@register.filter
def rule_name(rule: str) -> str:
    """Return the name of a conflict rule: "functional value"."""
    return ConflictRule(rule).value.replace("_", " ")


@register.filter
def is_doubtful(fact: TripleRecord) -> bool:
    """Return whether a fact was said as less than an assertion."""
    return Modality(fact.modality) is not Modality.ASSERTED


def reader_of(context: dict[str, Any]) -> str:
    """Return the reader's speaker name."""
    return names_of_reader(context)[0]


def names_of_reader(context: dict[str, Any]) -> tuple[str, ...]:
    """Return the names under which the reader speaks and spoke, cached in the page's context."""
    known: dict[str, tuple[str, ...]] = context.dicts[0].setdefault("_reader", {})  # type: ignore[attr-defined]
    if "names" not in known:
        known["names"] = own_names(context["request"].user)
    return known["names"]
