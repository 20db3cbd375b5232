"""Replacements that do not say what the old value was: "I left Google for Meta", "not Paris, Lyon".

What Google was to the speaker may have been said long before. The extractor therefore writes a denial of the old value and an
assertion of the new one under no predicate (`ANY_PREDICATE`) or under one of several (`one_of`). Before the update, the
remembered triple of the old value tells the predicate; without such a triple the replacement is dropped. A thing with an
article or an owner may be remembered under a longer name: "the Panda" is the Fiat Panda.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.naming import key_of
from memory.core.types import Entity, Fact, GraphFragment, Modality, Node, Polarity, Tense, Triple

ANY_PREDICATE = ""
# The subject of a correction that may be about anybody of whom its speaker said something.
_BAR = "|"
ANYBODY = Node("anybody", is_literal=True, is_any=True)


def one_of(*predicates: str) -> str:
    """Return a predicate name that stands for one of several, to be resolved from memory."""
    return _BAR.join(predicates)


def is_open(fact: Fact) -> bool:
    """Return whether a fact's predicate is still to be resolved from memory."""
    return fact.predicate == ANY_PREDICATE or _BAR in fact.predicate


def replaced_values(fragment: GraphFragment) -> set[str]:
    """Return the keys of the old values that a fragment replaces under an open predicate."""
    return {key_of(fact.object.label) for fact in _denials(fragment)}


def resolved(fragment: GraphFragment, remembered: Sequence[Triple]) -> GraphFragment:
    """Return the fragment with its open predicates resolved from the speaker's current triples.

    A change ("left Google") replaces everything that the old value was to its subject; a correction ("not Paris") replaces
    the latest triple about anybody.
    """
    open_facts = [fact for fact in fragment.facts if is_open(fact)]
    if not open_facts:
        return fragment
    found = [fact for fact in fragment.facts if not is_open(fact)]
    for denial in _denials(fragment):
        met = [triple for triple in remembered if _is_meant(denial, triple)]
        exact = [triple for triple in met if key_of(triple.object) == key_of(denial.object.label)]
        met = exact or met if len({key_of(triple.object) for triple in met}) == 1 else exact
        if denial.subject.is_any:
            met = sorted(met, key=lambda triple: (triple.source.said_at, triple.id))[-1:]
        for triple in met:
            found.append(_of(triple, denial, replace(denial.object, label=triple.object)))
            found += [
                _of(triple, fact, fact.object)
                for fact in open_facts
                if fact.polarity is Polarity.POSITIVE and fact.predicate == denial.predicate
            ]
    return GraphFragment(tuple(found))


def _denials(fragment: GraphFragment) -> list[Fact]:
    return [
        fact
        for fact in fragment.facts
        if is_open(fact) and fact.polarity is Polarity.NEGATIVE and fact.modality is Modality.ASSERTED
    ]


def _is_meant(denial: Fact, triple: Triple) -> bool:
    if (
        triple.superseded_at is not None
        or triple.modality is not Modality.ASSERTED
        or triple.tense is not Tense.PRESENT
    ):
        return False
    if denial.predicate != ANY_PREDICATE and triple.predicate not in denial.predicate.split(_BAR):
        return False
    is_subject = denial.subject.is_any or key_of(denial.subject.label) == key_of(triple.subject.label)
    is_value = _is_called(denial.object, triple.object)
    return is_subject and is_value and triple.polarity is Polarity.POSITIVE and not triple.is_any


def _is_called(node: Node, value: str) -> bool:
    """Return whether a thing's words are its remembered name or the end of it: "boat" for "sailing boat"."""
    asked, named = key_of(node.label), key_of(value)
    return asked == named or named.endswith(f" {asked}") or key_of(value) in {key_of(name) for name in node.aliases}


def _of(triple: Triple, fact: Fact, value: Node) -> Fact:
    is_literal = triple.object_id is None
    node = replace(value, is_literal=is_literal, kind="" if is_literal else triple.object_kind)
    return replace(fact, subject=_node(triple.subject), predicate=triple.predicate, object=node)


def _node(entity: Entity) -> Node:
    return Node(entity.label, entity.kind, is_speaker=entity.is_speaker)
