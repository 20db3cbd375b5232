"""Corrections of what was said just before: "Actually, it's Lyon", "No, 35", "Sorry, I meant Sara, not Sarah"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.extraction.people import name_case
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.types import Fact, Modality, Polarity, Span, Tense

_CORRECTION = re.compile(
    r"^\W*(?P<cue>(?:(?:no|nope|actually|sorry|wait|oops|correction|my bad|my mistake|i mean|i meant|"
    r"scratch that|well|hmm|oh)\b[\s,.!:;…-]*)*)"
    r"(?P<verb>(?:(?:it|that|he|she)(?:'s| is| was)|i meant|i mean|make that|"
    r"i should have said)(?: actually| really)? )?"
    r"(?P<value>[\w'’.-]+(?: [\w'’.-]+){0,3}?)(?:,? (?:and )?not (?P<old>[\w'’.-]+(?: [\w'’.-]+){0,3}))?\W*$",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"\b(?:i|you|he|she|we|they|it|that|this|is|are|was|were|not|do|don't|have|can|will|fine|ok|okay|"
    r"right|true|great|good|sure|"
    r"thanks|thank|nice|cool|yes|yeah|yet|so|very|really|problem|worries|idea|way|kidding|wrong|sorry|fun|"
    r"awesome|amazing|what|to|"
    r"at|on|of|just|about|like|love|a|hard|easy|important|worth|too|enough)\b",
    re.IGNORECASE,
)


_REVERSED = re.compile(
    r"^\W*not (?P<old>[\w'’.-]+(?: [\w'’-]+){0,2}?),? (?:but )?(?P<value>[A-Z\d][\w'’.-]*(?: [A-Z][\w'’.-]*){0,2})\W*$",
    re.IGNORECASE,
)


def read_correction(text: str, earlier: Sequence[Fact], *, latest: int = 0) -> list[Fact]:
    """Return the corrected fact (and the denial of the wrong one) where a sentence puts an earlier fact right.

    A correction that quotes the wrong value may mean any earlier fact, one that does not only the `latest` ones.
    """
    match = _CORRECTION.match(text)
    is_reversed = _REVERSED.match(text)
    if is_reversed is not None and "," in text:
        span = Span(is_reversed.start("value"), is_reversed.end("value"))
        return _righted(is_reversed["value"].rstrip("."), is_reversed["old"], earlier, span)
    if match is None or not earlier:
        return []
    value, old = match["value"].rstrip(".'’-"), (match["old"] or "").rstrip(".'’-")
    has_cue = bool(
        re.search(r"no|actually|sorry|wait|oops|correction|bad|mistake|mean|scratch", match["cue"], re.IGNORECASE)
    )
    has_cue = has_cue or "mean" in (match["verb"] or "").lower() or "make that" in (match["verb"] or "").lower()
    if _NO_VALUE.search(value) or not (has_cue or old):
        return []
    meant = earlier if old else earlier[-latest:]
    return _righted(value, old, meant, Span(match.start("value"), match.start("value") + len(value)))


def _righted(value: str, old: str, earlier: Sequence[Fact], span: Span) -> list[Fact]:
    """Return the fact that a correction is about with its right value, and the denial of the wrong one."""
    wrong = _corrected(value, old, earlier)
    if wrong is None:
        return []
    label = (
        value
        if wrong.object.is_literal and value.isdigit()
        else name_case(value)
        if wrong.object.pos == "PROPN"
        else value
    )
    right = replace(
        wrong,
        object=replace(wrong.object, label=label, aliases=(), lemma="", pos=wrong.object.pos),
        span=span,
        tense=Tense.PRESENT,
        valid_to=None,
    )
    if predicate_named(wrong.predicate).is_functional:
        return [right]
    return [replace(wrong, polarity=Polarity.NEGATIVE, span=span), right]


def _corrected(value: str, old: str, earlier: Sequence[Fact]) -> Fact | None:
    """Return the fact that a correction is about: the one whose value is quoted, else the last that takes such a value."""
    candidates = [
        fact
        for fact in reversed(earlier)
        if fact.modality is Modality.ASSERTED
        and fact.polarity is Polarity.POSITIVE
        and fact.tense is Tense.PRESENT
        and not fact.object.is_any
    ]
    if old:
        return next((fact for fact in candidates if key_of(fact.object.label) == key_of(old)), None)
    is_number = value.isdigit()
    is_name = value[:1].isupper()
    for fact in candidates:
        takes_number = fact.object.label.isdigit()
        takes_name = fact.object.label[:1].isupper() and not takes_number
        if is_number == takes_number and (takes_name or not is_name):
            return fact
    return None
