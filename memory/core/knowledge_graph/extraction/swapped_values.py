"""Two values that belong the other way round: "It's the other way round", "I mixed them up", "vice versa"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.naming import key_of
from memory.core.types import Fact, Modality, Polarity, Span, Tense

_SWAP = re.compile(
    r"\b(?:the )?other way (?:round|around|about)\b|\bvice versa\b|\b(?:it's|it is|that's) (?:the )?(?:exact )?"
    r"(?:opposite|reverse)\b|\b(?:swap|switch) (?:them|those|these|the two|the names|the ages)(?: (?:round|around|over))?\b|"
    r"\bi (?:got|had|mixed|swapped|muddled|switched|confused) (?:them|those|the two|these|both|the names|the ages)"
    r"(?: (?:all )?(?:up|mixed up|swapped|backwards|reversed|confused|wrong way round|round|around))?\b|"
    r"\bgot (?:that|it|them) (?:backwards|the wrong way (?:round|around))\b|\bwrong way (?:round|around)\b",
    re.IGNORECASE,
)


def read_swap(text: str, earlier: Sequence[Fact]) -> list[Fact]:
    """Return the last two like facts of two people or things with their values exchanged, where a sentence says so."""
    match = _SWAP.search(text)
    if match is None or text.rstrip().endswith("?"):
        return []
    stated = [fact for fact in reversed(earlier) if _is_told(fact)]
    for late, last in enumerate(stated):
        for first in stated[late + 1 : late + 7]:
            if _are_alike(first, last):
                return _exchanged(first, last, Span(*match.span()))
    return []


def _is_told(fact: Fact) -> bool:
    is_held = fact.polarity is Polarity.POSITIVE and fact.tense is Tense.PRESENT
    return is_held and fact.modality is Modality.ASSERTED and not fact.object.is_any


def _are_alike(first: Fact, last: Fact) -> bool:
    is_kin = first.object.kind in ("Person", "Animal")
    return (
        first.predicate == last.predicate
        and key_of(first.subject.label) != key_of(last.subject.label)
        and key_of(first.object.label) != key_of(last.object.label)
        and not is_kin
    )


def _exchanged(first: Fact, last: Fact, span: Span) -> list[Fact]:
    pairs = ((first, last), (last, first))
    wrong = [replace(one, polarity=Polarity.NEGATIVE, span=span) for one, _ in pairs]
    right = [replace(one, object=other.object, span=span) for one, other in pairs]
    return [*wrong, *right]
