"""Corrections of what was said before: "Actually, it's Lyon", "Not Tom, Tim", "When I said 35 I meant 36", "*Lyon".

A correction that quotes the wrong value may mean any earlier fact; where none at hand has that value, it is written for
anything that its speaker ever said to have it (see `replacement`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.core.english.numbers import in_digits
from memory.core.english.telling_times import say_date
from memory.core.english.times import MONTH, stated_date
from memory.core.knowledge_graph.classes import LIVING
from memory.core.knowledge_graph.extraction.clauses import Scene
from memory.core.knowledge_graph.extraction.patterns import pattern
from memory.core.knowledge_graph.extraction.people import name_case
from memory.core.knowledge_graph.extraction.rules import SaidBefore
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.replacement import ANY_PREDICATE, ANYBODY, is_open
from memory.core.knowledge_graph.vocabulary import TRANSIENT
from memory.core.naming import key_of
from memory.core.types import Fact, Modality, Node, Polarity, Span, Tense

_pattern = partial(pattern, "corrections")
# Where the wrong value is quoted, from the surest form on; the last need words that announce a correction.
_FORMS = ("forget_old", "said_old_meant_value", "not_old_value", "is_value_not_old", "value_not_old")
_CUED = frozenset(_FORMS[-2:])
_MONTH = re.compile(rf"\b{MONTH}", re.IGNORECASE)
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?$", re.IGNORECASE)


@dataclass(frozen=True)
class _Correction:
    """The right value, if any, where it stands, and the wrong one where it is quoted; `is_cued` where words announce it."""

    value: str
    span: Span
    old: str = ""
    is_cued: bool = False


def is_cue(text: str) -> bool:
    """Return whether a sentence only announces a correction: "That was wrong.", "Ugh, typo."."""
    match = _pattern("cues").match(text)
    return match is not None and not text[match.end() :].strip(" .,!?;:") and not _pattern("weak").match(text)


def corrected(scene: Scene, facts: list[Fact], before: SaidBefore) -> list[Fact]:
    """Return the facts of a sentence as what it puts right or takes back of what was said before has them."""
    text = scene.reading.words.text
    righted = scene.put(read_correction(text, before))
    right = {key_of(fact.object.label) for fact in righted if fact.polarity is Polarity.POSITIVE}
    here = {fact.predicate for fact in facts if key_of(fact.object.label) in right}
    is_other = bool(here) and not any(is_open(fact) or fact.predicate in here for fact in righted)
    if righted and not is_other:
        slots = {(fact.subject, fact.predicate) for fact in righted}
        values = {key_of(fact.object.label) for fact in righted}
        others = [fact for fact in facts if key_of(fact.object.label) not in values]
        return [*righted, *(fact for fact in others if (fact.subject, fact.predicate) not in slots)]
    return facts


def read_correction(text: str, before: SaidBefore) -> list[Fact]:
    """Return the corrected fact (and the denial of the wrong one) where a sentence puts an earlier fact right.

    A correction that quotes the wrong value may mean any earlier fact, one that does not only the latest ones.
    """
    found = _read(text, is_announced=before.is_announced)
    if found is None:
        return []
    return _righted(found, before.earlier if found.old else before.latest)


def _read(text: str, *, is_announced: bool) -> _Correction | None:
    starred = _pattern("starred").match(text)
    if starred is not None:
        return _made(starred, 0, is_cued=True)
    cue = _pattern("cues").match(text)
    start = cue.end() if cue is not None else 0
    has_cue = is_announced or cue is not None and not _pattern("weak").match(cue[0])
    body = _pattern("link").sub("", text[start:])
    start = len(text) - len(body)
    for form in _FORMS:
        match = _pattern(form).match(body)
        if match is not None and _is_value(match["value"]) and _is_value(match["old"]):
            return _made(match, start, is_cued=has_cue or form not in _CUED)
    match = _pattern("plain").match(body)
    meant = match is not None and re.search(r"mean|make|should", match["verb"] or "", re.IGNORECASE)
    is_put_right = match is not None and (has_cue or meant) and match["value"].lower() not in TRANSIENT
    return _made(match, start, is_cued=True) if match and is_put_right and _is_value(match["value"]) else None


def _is_value(words: str) -> bool:
    return not _pattern("no_value").search(words)


def _made(match: re.Match[str], start: int, *, is_cued: bool) -> _Correction:
    """Return the correction of a form, `start` characters behind its text's beginning."""
    first, last = match.span("value" if match["value"] else "old")
    old = match.groupdict().get("old") or ""
    return _Correction(_bare(match["value"]), Span(start + first, start + last), _bare(old), is_cued)


def _bare(words: str) -> str:
    return words.rstrip(".'’-")


def _righted(found: _Correction, earlier: Sequence[Fact]) -> list[Fact]:
    """Return the fact that a correction is about with its right value, if it has one, and the denial of the wrong one."""
    wrong = _corrected(found, earlier)
    if wrong is None:
        return _unmet(found) if found.old and found.is_cued else []
    denial = replace(wrong, polarity=Polarity.NEGATIVE, span=found.span)
    if not found.value:
        return [denial]
    value = _same_form(found.value, found.old, wrong.object.label)
    label = name_case(value) if wrong.object.pos == "PROPN" and not value.isdigit() else value
    # A person whose name was wrong is the same person under another name.
    is_renamed = wrong.object.kind in LIVING and wrong.object.pos == "PROPN"
    aliases = (wrong.object.label, *wrong.object.aliases) if is_renamed else ()
    right = replace(
        wrong,
        object=replace(wrong.object, label=label, aliases=aliases, lemma=""),
        span=found.span,
        tense=Tense.PRESENT,
        valid_to=None,
    )
    if predicate_named(wrong.predicate).is_functional or is_renamed:
        return [right]
    return [denial, right]


def _unmet(found: _Correction) -> list[Fact]:
    """Return the correction for whatever was ever said to have the old value."""
    old, new = Node(found.old), Node(found.value, pos="PROPN" if found.value[:1].isupper() else "NOUN")
    denial = Fact(ANYBODY, ANY_PREDICATE, old, found.span, polarity=Polarity.NEGATIVE, confidence=0.8, phrase="correct")
    return [denial, replace(denial, object=new, polarity=Polarity.POSITIVE)] if found.value else [denial]


def _same_form(value: str, old: str, label: str) -> str:
    """Return "6 May" for "the 6th, not the 5th" of "5 May", and a number in words as digits where the old one was."""
    right, wrong = _ORDINAL.match(value), _ORDINAL.match(old)
    if right and _MONTH.search(label) and (wrong is None or re.search(rf"\b0?{wrong[1]}\b", label)):
        return re.sub(r"\b\d{1,2}\b", right[1], label, count=1)
    if label.isdigit():
        return in_digits(value)
    if _MONTH.search(value) and _MONTH.search(label):
        return say_date(stated_date(value))
    return value


def _corrected(found: _Correction, earlier: Sequence[Fact]) -> Fact | None:
    """Return the fact that a correction is about: the one whose value is quoted, else the last that takes such a value."""
    candidates = [
        fact
        for fact in reversed(earlier)
        if fact.modality is Modality.ASSERTED
        and fact.polarity is Polarity.POSITIVE
        and fact.tense is Tense.PRESENT
        and not fact.object.is_any
    ]
    if found.old:
        return next((fact for fact in candidates if _is_quoted(found.old, fact.object.label)), None)
    shape = _shape(found.value)
    fitting = [fact for fact in candidates if _shape(fact.object.label) == shape]
    loose = [fact for fact in candidates if shape == "word" and _shape(fact.object.label) == "name"]
    return next(iter([*fitting, *loose]), None)


def _is_quoted(old: str, label: str) -> bool:
    if key_of(old) == key_of(label) or key_of(label).endswith(f" {key_of(old)}"):
        return True
    day = _ORDINAL.match(old)
    return day is not None and _MONTH.search(label) is not None and bool(re.search(rf"\b0?{day[1]}\b", label))


def _shape(value: str) -> str:
    if in_digits(value).isdigit():
        return "number"
    if re.search(r"\d", value) and (_MONTH.search(value) or re.search(r"\d(?:st|nd|rd|th)\b", value)):
        return "date"
    return "name" if value[:1].isupper() else "word"
