"""Compares what an extractor read in a message with what people labelled in it.

Flags are not compared: a fact that is denied or past counts as any other. Subjects match where both are the speaker, or where
they share a word; objects where the words that they share are at least half of the longer; predicates by the table
of `message_predicates`. A label is matched by one fact, and a fact by one label.

Which of the guide's predicates a fact of the graph expresses: the table by which labelled messages are compared.

The labels of messages use the names of `memory/training/messages/GUIDE.md`, the graph those of the ontology, which are finer
(a dog, a cat, a pet), and whatever a message adds to it. What the guide calls `other` is any predicate that the table does
not have.

Compares what a learned reader found in a message, as spans of words, with what an annotator labelled.

The rule is that of `message_match`, which compares facts of the graph; what is not yet of the graph has spans for things and
the guide's names for predicates, which are compared as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from evaluation.core.folding import fold
from evaluation.core.interval_rows import grouped, mean_row
from evaluation.core.report import Row
from memory.core.knowledge_graph.ontology import FAVORITE, NUMBER_OF, PREDICATES, minted, predicate_of_phrase
from memory.core.knowledge_graph.replacement import is_open, one_of
from memory.core.types import Fact, Node, Polarity, ReadFact, Tense
from memory.core.word_files import WordFile

OTHER = "other"
PETS = tuple(predicate.name for predicate in PREDICATES.values() if predicate.range == "Animal")
# What says of something what or how it is, and so may say many things, and what the guide has no name for too.
GENERAL = ("isA", "hasQuality")

_GROUPS = {"(pets)": PETS, "(general)": GENERAL}
_FILE = WordFile(Path(__file__).with_suffix(".txt"))


def _table(section: str) -> dict[str, tuple[str, ...]]:
    lines = _FILE.lists(section).items()
    return {name: tuple(one for said in others for one in _GROUPS.get(said, (said,))) for name, others in lines}


# Every name also stands for itself and for "my <name> is ...": `budget` is expressed by budget and by hasBudget.
EXPRESSED_BY = _table("expressed_by")
# What expresses a name where it is denied, or is over.
EXPRESSED_BY_DENIED = _table("expressed_by_denied")
# A number of somebody's children is labelled as hasChild "two".
COUNTED = ("hasNumberOf", "hasChild", "hasSon", "hasDaughter", "hasSister", "hasBrother", "hasCousin", "hasPet")
BAR = one_of("", "")


def expressed_names(predicate: str, *, is_denied: bool) -> frozenset[str]:
    """Return the guide's names that a fact of this predicate may express, `other` among them; never none.

    `is_denied` is for what is denied or is over. A predicate that stands for one of several expresses the names of each.
    """
    return frozenset().union(*(_names(part, is_denied) for part in predicate.split(BAR)))


def expresses(predicate: str, label: str, *, is_denied: bool) -> bool:
    """Return whether a fact of this predicate expresses the label's, such as livesIn or "other:volunteer at"."""
    name, _, phrase = label.partition(":")
    if phrase and predicate in (predicate_of_phrase(phrase), minted(phrase)):
        return True
    return name in expressed_names(predicate, is_denied=is_denied)


@lru_cache(maxsize=4096)
def _names(predicate: str, is_denied: bool) -> frozenset[str]:
    if predicate.startswith(FAVORITE):
        return frozenset({"hasFavorite"})
    if predicate.startswith(NUMBER_OF):
        return frozenset(COUNTED)
    named = {
        name
        for name, others in EXPRESSED_BY.items()
        if predicate in (name, f"has{name[0].upper()}{name[1:]}", *others)
        or (is_denied and predicate in EXPRESSED_BY_DENIED.get(name, ()))
    }
    if not named or predicate in GENERAL:
        named.add(OTHER)
    return frozenset(named)


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

    A fact that lacks a value or a predicate ("not that any more") is left to the memory to resolve, and is not compared;
    nor is one that only says whose an unnamed relative is, whom a label has as a subject alone ("Ana's brother"), nor the end
    of what is told to be over.
    """
    over = {fact.object.label for fact in read if fact.tense is Tense.PAST}
    named = [
        fact
        for fact in read
        if not (fact.subject.is_any or fact.object.is_any or is_open(fact) and fact.object.label in over)
        and not fact.object.label.startswith(f"{fact.subject.label}'s ")
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


@dataclass(frozen=True)
class ReadMessage:
    """A labelled message, named by its line, as one extractor read it. `error` says why it was not read."""

    reader: str
    line: int
    register: str
    match: MessageMatch
    error: str = ""


def message_rows(messages: Sequence[ReadMessage]) -> list[Row]:
    """Return the rows of each reader, of all messages and of each register. A message that failed counts as read empty."""
    by_reader = grouped(messages, lambda message: message.reader)
    return [row for reader, own in by_reader.items() for row in reader_rows(reader, own)]


def reader_rows(reader: str, messages: Sequence[ReadMessage]) -> Iterator[Row]:
    for group in ("", *dict.fromkeys(message.register for message in messages)):
        inside = [message for message in messages if group in ("", message.register)]
        yield from figure_rows(reader, "", {one.line: one.match.facts for one in inside}, group=group)
        yield from figure_rows(reader, "object_", {one.line: one.match.objects for one in inside}, group=group)
    failed = [message for message in messages if message.error]
    if failed:
        yield Row(reader, "failed", len(failed), unit="messages", n=len(messages), why=failed[0].error)


def figure_rows(reader: str, prefix: str, matches: Mapping[int, Match], *, group: str) -> Iterator[Row]:
    """Yield precision over the facts that were read, recall over those that were labelled, and F1 over both."""
    right = {line: match.right for line, match in matches.items()}
    read = {line: match.read for line, match in matches.items()}
    labelled = {line: match.labelled for line, match in matches.items()}
    yield share_row(reader, f"{prefix}precision", right, read, group=group, none="no fact was read")
    yield share_row(reader, f"{prefix}recall", right, labelled, group=group, none="no fact is labelled")
    # F1 is the share of the facts of both sides that have a counterpart on the other.
    paired = {line: 2 * count for line, count in right.items()}
    both = {line: read[line] + labelled[line] for line in matches}
    none = "no fact was read, and none is labelled"
    yield share_row(reader, f"{prefix}f1", paired, both, group=group, none=none)


def share_row(
    reader: str, metric: str, hits: Mapping[int, int], counts: Mapping[int, int], *, group: str, none: str
) -> Row:
    """Return the share of the hits, with an interval for which whole messages are drawn; `n` counts what they are of."""
    clusters = {str(line): [1.0] * hits[line] + [0.0] * (count - hits[line]) for line, count in counts.items() if count}
    return mean_row(reader, metric, clusters, group=group, none=none)


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
