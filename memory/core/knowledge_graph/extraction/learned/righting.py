"""What a correction is about, where it does not say: "I meant 9", "not Rohan", after what the same person told before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.core.english.numbers import in_digits
from memory.core.english.times import MONTH
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.naming import key_of
from memory.core.types import Fact, Modality, Polarity, Tense


def corrected_by(value: str, denied: Sequence[str], earlier: Sequence[Fact]) -> Fact | None:
    """Return the earlier fact whose value is denied, else the latest whose value has the shape of the right one, if any."""
    wrong = {key_of(words) for words in denied}
    standing = [fact for fact in reversed(earlier) if stands(fact)]
    quoted = (fact for fact in standing if key_of(fact.object.label) in wrong)
    alike = (fact for fact in standing if value and shape_of(fact.object.label) == shape_of(value))
    return next(quoted, None) or next(alike, None)


def taken_back(right: Fact, earlier: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the denials of what a corrected fact replaces, where its predicate may have several values."""
    if predicate_named(right.predicate).is_functional or right.polarity is Polarity.NEGATIVE:
        return
    slot = [
        fact
        for fact in earlier
        if stands(fact)
        and fact.predicate == right.predicate
        and key_of(fact.subject.label) == key_of(right.subject.label)
        and key_of(fact.object.label) != key_of(right.object.label)
    ]
    if len(slot) == 1:
        yield replace(slot[0], polarity=Polarity.NEGATIVE, span=right.span)


def puts_right(right: Fact, earlier: Sequence[Fact]) -> bool:
    """Return whether a fact gives another value of the same shape to what was told of somebody."""
    return any(
        stands(fact)
        and fact.predicate == right.predicate
        and key_of(fact.subject.label) == key_of(right.subject.label)
        and shape_of(fact.object.label) == shape_of(right.object.label)
        for fact in earlier
    )


def stands(fact: Fact) -> bool:
    is_plain = fact.modality is Modality.ASSERTED and fact.polarity is Polarity.POSITIVE
    return is_plain and fact.tense is Tense.PRESENT and not fact.object.is_any


def shape_of(value: str) -> str:
    """Return whether a value is a number, a date, a name or a word."""
    if in_digits(value).isdigit():
        return "number"
    if re.search(rf"\b{MONTH}", value, re.IGNORECASE) or re.search(r"\d(?:st|nd|rd|th)\b", value):
        return "date"
    return "name" if value[:1].isupper() else "word"
