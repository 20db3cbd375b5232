"""Compares what a learned reader found in a message, as spans of words, with what an annotator labelled.

The rule is that of `message_match`, which compares facts of the graph; what is not yet of the graph has spans for things and
the guide's names for predicates, which are compared as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evaluation.core.message_match import LEAST_SHARE, SPEAKER, FactLabel, object_words, subject_words
from memory.core.types import ReadFact


def right_facts(labels: Sequence[FactLabel], read: Sequence[ReadFact]) -> list[bool]:
    """Return of each fact whether it is one of the labelled."""
    return right_by(labels, read, is_same_fact)


def right_objects(labels: Sequence[FactLabel], read: Sequence[ReadFact]) -> list[bool]:
    """Return of each fact whether its object is one of the labelled."""
    return right_by(labels, read, lambda label, fact: is_same_span(label.object, fact.object.text))


def right_by(
    labels: Sequence[FactLabel], read: Sequence[ReadFact], is_same: Callable[[FactLabel, ReadFact], bool]
) -> list[bool]:
    """Return of each fact whether it has a label. The surest fact chooses first, and a label is chosen once."""
    left = list(labels)
    hits = [False] * len(read)
    for place in sorted(range(len(read)), key=lambda place: -read[place].probability):
        label = next((label for label in left if is_same(label, read[place])), None)
        if label is not None:
            left.remove(label)
            hits[place] = True
    return hits


def is_same_fact(label: FactLabel, fact: ReadFact) -> bool:
    return (
        label.predicate == fact.predicate
        and is_same_subject(label.subject, SPEAKER if fact.subject is None else fact.subject.text)
        and is_same_span(label.object, fact.object.text)
    )


def is_same_subject(one: str, other: str) -> bool:
    """Return whether two subjects are both the speaker, or share a word."""
    if SPEAKER in (one, other):
        return one == other
    return not subject_words(one).isdisjoint(subject_words(other))


def is_same_span(one: str, other: str) -> bool:
    """Return whether the words that two spans share are at least half of the longer's."""
    first, second = object_words(one), object_words(other)
    return (first & second).total() >= LEAST_SHARE * max(first.total(), second.total())
