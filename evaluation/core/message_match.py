"""Compares what an extractor read in a message with what people labelled in it.

Flags are not compared: a fact that is denied or past counts as any other. Subjects match where both are the speaker, or where
they share a word; objects where the words that they share are at least half of the longer; predicates by the table
of `message_predicates`. A label is matched by one fact, and a fact by one label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from evaluation.core.folding import fold
from evaluation.core.message_predicates import expressed_names, expresses
from memory.core.knowledge_graph.replacement import ANY_PREDICATE
from memory.core.types import Fact, Node, Polarity, Tense

SPEAKER = "me"
LEAST_SHARE = 0.5
OWNERS = re.compile(r"\b(?:my|our|your|his|her|its|their|the|an?|\w+['’]s)(?= \w)", re.IGNORECASE)


@dataclass(frozen=True)
class FactLabel:
    """A fact as an annotator wrote it: words of the message, a predicate of the guide."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class Match:
    """How many facts were labelled, how many were read, and how many of these are right."""

    labelled: int
    read: int
    right: int


@dataclass(frozen=True)
class MessageMatch:
    """The comparison of a message's whole facts, and of their objects alone, with the facts that one side alone has."""

    facts: Match
    objects: Match
    missed: tuple[FactLabel, ...]
    false: tuple[Fact, ...]


def message_match(labels: Sequence[FactLabel], read: Sequence[Fact]) -> MessageMatch:
    """Return how the facts that were read agree with the labels.

    A fact that lacks a value or a predicate ("not that any more") is left to the memory to resolve, and is not compared.
    """
    named = [
        fact for fact in read if fact.predicate != ANY_PREDICATE and not fact.subject.is_any and not fact.object.is_any
    ]
    by_fact, by_object = assigned(labels, named, fact_likeness), assigned(labels, named, object_likeness)
    false = surplus(named, by_fact)
    return MessageMatch(
        facts=Match(len(labels), len(by_fact) + len(false), len(by_fact)),
        objects=Match(len(labels), len(by_object) + len(surplus(named, by_object)), len(by_object)),
        missed=tuple(label for place, label in enumerate(labels) if place not in by_fact.values()),
        false=tuple(false),
    )


def assigned(
    labels: Sequence[FactLabel], read: Sequence[Fact], likeness: Callable[[FactLabel, Fact], float]
) -> dict[int, int]:
    """Return the label of each fact that has one, by their places; the likest are put together first."""
    pairs = [(likeness(label, fact), at, place) for at, label in enumerate(labels) for place, fact in enumerate(read)]
    found: dict[int, int] = {}
    for value, at, place in sorted(pairs, key=lambda pair: -pair[0]):
        if value and place not in found and at not in found.values():
            found[place] = at
    return found


def surplus(read: Sequence[Fact], right: Collection[int]) -> list[Fact]:
    """Return the facts that no label has, each statement once: one that says again what another says is none."""
    said = [read[place] for place in right]
    found: list[Fact] = []
    for place, fact in enumerate(read):
        if place not in right and not any(says_again(fact, other) for other in said):
            said.append(fact)
            found.append(fact)
    return found


def says_again(fact: Fact, other: Fact) -> bool:
    """Return whether two facts of one subject and object express the same name: the end of owning and of driving a car."""
    return (
        fold(fact.subject.label) == fold(other.subject.label)
        and object_words(fact.object.label) == object_words(other.object.label)
        and not names_of(fact).isdisjoint(names_of(other))
    )


def fact_likeness(label: FactLabel, fact: Fact) -> float:
    """Return how far the objects agree, 0 where subject or predicate do not."""
    if not expresses(fact.predicate, label.predicate, is_denied=is_denied(fact)):
        return 0.0
    return object_likeness(label, fact) if is_subject(label.subject, fact.subject) else 0.0


def object_likeness(label: FactLabel, fact: Fact) -> float:
    """Return the words that the objects share as a part of the longer, 0 below a half."""
    labelled, read = object_words(label.object), object_words(fact.object.label)
    share = (labelled & read).total() / max(labelled.total(), read.total(), 1)
    return share if share >= LEAST_SHARE else 0.0


def is_subject(label: str, subject: Node) -> bool:
    """Return whether a label's subject is meant: "my sister" by "Ana's sister", or by Maya who is also called that."""
    if label.casefold() == SPEAKER or subject.is_speaker:
        return label.casefold() == SPEAKER and subject.is_speaker
    return not subject_words(label).isdisjoint(
        word for name in (subject.label, *subject.aliases) for word in subject_words(name)
    )


def subject_words(name: str) -> set[str]:
    """Return the words of a name without whose it is: those of "my sister" and "Ana's sister" are the same."""
    return set(fold(OWNERS.sub(" ", name)).split())


def object_words(text: str) -> Counter[str]:
    """Return the folded words; what has no letters, such as an emoji, is a word as it is."""
    return Counter(fold(text).split() or text.split())


def names_of(fact: Fact) -> frozenset[str]:
    return expressed_names(fact.predicate, is_denied=is_denied(fact))


def is_denied(fact: Fact) -> bool:
    """Return whether a fact is denied or over."""
    return fact.polarity is Polarity.NEGATIVE or fact.tense is Tense.PAST or fact.valid_to is not None
