"""Ends that do not say what it was that ended: "I sold the Panda", which was owned, driven or ridden.

What the Panda was to the speaker may have been said long before. The extractor therefore writes a denial of the value
under one of several predicates (`one_of`). Before the update, the remembered triple of the value tells the predicate;
without such a triple the denial is dropped. A thing with an article or an owner may be remembered under a longer name:
"the Panda" is the Fiat Panda.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory.core.naming import key_of
from memory.core.types import Entity, Fact, GraphFragment, Modality, Node, Polarity, Tense, Triple

_BAR = "|"


def one_of(*predicates: str) -> str:
    """Return a predicate name that stands for one of several, to be resolved from memory."""
    return _BAR.join(predicates)


def is_open(fact: Fact) -> bool:
    """Return whether a fact's predicate is still to be resolved from memory."""
    return _BAR in fact.predicate


def replaced_values(fragment: GraphFragment) -> set[str]:
    """Return the keys of the values that a fragment ends under an open predicate."""
    return {key_of(fact.object.label) for fact in _denials(fragment)}


def resolved(fragment: GraphFragment, remembered: Sequence[Triple]) -> GraphFragment:
    """Return the fragment with its open predicates resolved from the speaker's current triples, to all that the value was."""
    found = [fact for fact in fragment.facts if not is_open(fact)]
    for denial in _denials(fragment):
        met = [triple for triple in remembered if _is_meant(denial, triple)]
        exact = [triple for triple in met if key_of(triple.object) == key_of(denial.object.label)]
        met = exact or met if len({key_of(triple.object) for triple in met}) == 1 else exact
        found += [_of(triple, denial) for triple in met]
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
    if triple.predicate not in denial.predicate.split(_BAR):
        return False
    is_subject = key_of(denial.subject.label) == key_of(triple.subject.label)
    is_value = _is_called(denial.object, triple.object)
    return is_subject and is_value and triple.polarity is Polarity.POSITIVE and not triple.is_any


def _is_called(node: Node, value: str) -> bool:
    """Return whether a thing's words are its remembered name or the end of it: "boat" for "sailing boat"."""
    asked, named = key_of(node.label), key_of(value)
    return asked == named or named.endswith(f" {asked}") or key_of(value) in {key_of(name) for name in node.aliases}


def _of(triple: Triple, denial: Fact) -> Fact:
    is_literal = triple.object_id is None
    value = replace(
        denial.object, label=triple.object, is_literal=is_literal, kind="" if is_literal else triple.object_kind
    )
    return replace(denial, subject=_node(triple.subject), predicate=triple.predicate, object=value)


def _node(entity: Entity) -> Node:
    return Node(entity.label, entity.kind, is_speaker=entity.is_speaker)
