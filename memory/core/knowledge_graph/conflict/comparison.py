"""Compares a new fact with a stored triple: equal ends, equal slot, holding at a time.

A slot is a subject with a predicate; for a symmetric predicate, either end with it.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from memory.core.knowledge_graph.ontology import Ontology
from memory.core.naming import key_of
from memory.core.types import Fact, GraphFragment, Modality, Node, Polarity, Tense, Triple

# The ontology of a space whose people declared nothing.
UNDECLARED = Ontology()


def asserted(fragment: GraphFragment) -> list[Fact]:
    """Return the facts that may change what is believed."""
    return [fact for fact in fragment.facts if fact.modality is Modality.ASSERTED]


def believed(triples: tuple[Triple, ...]) -> list[Triple]:
    """Return the triples that are believed now: active, and asserted rather than reported or imagined."""
    return [triple for triple in triples if triple.superseded_at is None and triple.modality is Modality.ASSERTED]


def keys_of(node: Node) -> frozenset[str]:
    """Return the keys of all names of a node."""
    return _keys((node.label, *node.aliases))


def is_one(first: Node, second: Node) -> bool:
    """Return whether two nodes name the same entity. Shared aliases are not enough: two brothers are both "Ana's brother"."""
    return key_of(first.label) in keys_of(second) or key_of(second.label) in keys_of(first)


def same_statement(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    return triple.predicate == fact.predicate and same_ends(fact, triple, ontology)


def same_ends(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether both relate the same two things, in the same direction unless the predicate is symmetric."""
    subject, value = key_of(triple.subject.label), key_of(triple.object)
    subjects, values = keys_of(fact.subject), keys_of(fact.object)
    if subject in subjects and value in values:
        return True
    return ontology.predicate_named(fact.predicate).is_symmetric and value in subjects and subject in values


def shares_slot(fact: Fact, triple: Triple, ontology: Ontology) -> bool:
    """Return whether the triple is in the slot of one of the fact's ends."""
    if triple.predicate != fact.predicate:
        return False
    ends, owners = {key_of(triple.subject.label)}, keys_of(fact.subject)
    if ontology.predicate_named(fact.predicate).is_symmetric:
        ends |= {key_of(triple.object)}
        owners |= frozenset() if fact.object.is_any else keys_of(fact.object)
    return bool(ends & owners)


def same_subject(fact: Fact, triple: Triple) -> bool:
    return key_of(triple.subject.label) in keys_of(fact.subject)


def is_denial_of_all(fact: Fact) -> bool:
    """Return whether the fact denies every value of its slot: "I don't have a job any more"."""
    return fact.object.is_any and fact.polarity is Polarity.NEGATIVE


def holds(triple: Triple, moment: datetime) -> bool:
    """Return whether a triple is in the present tense and has not ended by then."""
    return triple.tense is Tense.PRESENT and not is_over(triple.valid_to, moment)


def is_over(valid_to: datetime | None, moment: datetime) -> bool:
    return valid_to is not None and valid_to <= moment


@lru_cache(maxsize=4_096)
def _keys(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(key_of, names))
