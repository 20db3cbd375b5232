"""Facts of an old value and a new one that do not say what the old one was: "I left Google for Meta", "not Paris, Lyon".

What Google was to the speaker may have been said long ago, out of the reach of an extractor. Such a change is written as a
denial of the old value and an assertion of the new one under no predicate (`ANY_PREDICATE`); before the update, what is
remembered of the old value tells the predicate. What meets nothing remembered says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.knowledge_graph.naming import key_of
from memory.core.types import Entity, Fact, GraphFragment, Modality, Node, Polarity, Tense, Triple

ANY_PREDICATE = ""
# The subject of a correction that may be about anybody of whom its speaker said something.
ANYBODY = Node("anybody", is_literal=True, is_any=True)


def replaced_values(fragment: GraphFragment) -> set[str]:
    """Return the keys of the old values that a fragment replaces wherever they stand."""
    return {key_of(fact.object.label) for fact in _denials(fragment)}


def resolved(fragment: GraphFragment, remembered: Sequence[Triple]) -> GraphFragment:
    """Return the fragment with the predicates of its replacements, from the current triples of what its speaker said.

    A change is of all that the old value was to its subject, a correction of the latest that was said of anybody.
    """
    open_facts = [fact for fact in fragment.facts if fact.predicate == ANY_PREDICATE]
    if not open_facts:
        return fragment
    found = [fact for fact in fragment.facts if fact.predicate != ANY_PREDICATE]
    for denial in _denials(fragment):
        met = [triple for triple in remembered if _is_meant(denial, triple)]
        if denial.subject.is_any:
            met = sorted(met, key=lambda triple: (triple.source.said_at, triple.id))[-1:]
        for triple in met:
            found.append(_of(triple, denial, denial.object))
            found += [_of(triple, fact, fact.object) for fact in open_facts if fact.polarity is Polarity.POSITIVE]
    return GraphFragment(tuple(found))


def _denials(fragment: GraphFragment) -> list[Fact]:
    return [
        fact
        for fact in fragment.facts
        if fact.predicate == ANY_PREDICATE and fact.polarity is Polarity.NEGATIVE and fact.modality is Modality.ASSERTED
    ]


def _is_meant(denial: Fact, triple: Triple) -> bool:
    if (
        triple.superseded_at is not None
        or triple.modality is not Modality.ASSERTED
        or triple.tense is not Tense.PRESENT
    ):
        return False
    is_subject = denial.subject.is_any or key_of(denial.subject.label) == key_of(triple.subject.label)
    is_value = key_of(denial.object.label) == key_of(triple.object)
    return is_subject and is_value and triple.polarity is Polarity.POSITIVE and not triple.is_any


def _of(triple: Triple, fact: Fact, value: Node) -> Fact:
    node = replace(value, is_literal=triple.object_id is None, kind=triple.object_kind if triple.object_id else "")
    return replace(fact, subject=_node(triple.subject), predicate=triple.predicate, object=node)


def _node(entity: Entity) -> Node:
    return Node(entity.label, entity.kind, is_speaker=entity.is_speaker)
