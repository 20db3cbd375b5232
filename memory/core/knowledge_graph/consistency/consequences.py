"""Derives what follows from an assertion and which axioms it could break: the part of OWL 2 RL that the ontology needs.

An axiom is broken inside a small group of assertions: the values of one slot, a pair in both directions, assertions and
denials of the same two ends. `touched_groups` names the groups of an assertion, so that the check of an update looks at those
alone.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from functools import cache

from memory.core.knowledge_graph.classes import CLASSES, weak_class_of
from memory.core.knowledge_graph.consistency.assertions import Assertion, Identity, facets_of, is_well_typed
from memory.core.knowledge_graph.ontology import PREDICATES, Ontology, Predicate
from memory.core.types import Axiom


@dataclass(frozen=True, slots=True)
class Consequence:
    """A predicate that follows from another, with the same ends or with exchanged ends."""

    predicate: Predicate
    is_flipped: bool

    @property
    def end_classes(self) -> tuple[str, str]:
        """The classes that the predicate implies for its subject and its object; "" where it implies none."""
        if not self.predicate.is_typed:
            return "", ""
        return weak_class_of(self.predicate.domain), weak_class_of(self.predicate.range)


# An axiom's value, the predicates that it speaks of, and the ends that a group of assertions shares.
Group = tuple[str, tuple[str, ...], tuple[Hashable, ...]]


# An assertion's place: a group, and which value it gives there.
Membership = tuple[Group, Hashable]

# Plain words, because the hash of an enum's member is worked out in Python each time.
FUNCTIONAL = Axiom.FUNCTIONAL.value
ASYMMETRIC = Axiom.ASYMMETRIC.value
IRREFLEXIVE = Axiom.IRREFLEXIVE.value
DISJOINT_PROPERTIES = Axiom.DISJOINT_PROPERTIES.value
DISJOINT_CLASSES = Axiom.DISJOINT_CLASSES.value
NEGATIVE_ASSERTION = Axiom.NEGATIVE_ASSERTION.value
DATATYPE = Axiom.DATATYPE.value

POSITIVE, DENIED = True, False


def consequences_of(predicate: Predicate, ontology: Ontology) -> tuple[Consequence, ...]:
    """Return everything that follows from a predicate by symmetry, inverses and broader predicates, including itself."""
    found: dict[tuple[str, bool], Consequence] = {}
    waiting = [Consequence(predicate, is_flipped=False)]
    while waiting:
        one = waiting.pop()
        if (one.predicate.name, one.is_flipped) in found:
            continue
        found[one.predicate.name, one.is_flipped] = one
        known = one.predicate
        if known.is_symmetric:
            waiting.append(Consequence(known, not one.is_flipped))
        if known.inverse:
            waiting.append(Consequence(ontology.predicate_named(known.inverse), not one.is_flipped))
        if known.broader:
            waiting.append(Consequence(ontology.predicate_named(known.broader), one.is_flipped))
    return tuple(found[key] for key in sorted(found))


@cache
def predicates_leading_to(name: str) -> frozenset[str]:
    """Return the ontology's predicates from which the named one follows, including itself."""
    ontology = Ontology()
    return frozenset(
        other
        for other, predicate in PREDICATES.items()
        if any(consequence.predicate.name == name for consequence in consequences_of(predicate, ontology))
    )


def is_chained(predicate: Predicate) -> bool:
    """Return whether chains of a predicate count (transitivity).

    OWL 2 DL forbids a property that is transitive and functional.
    """
    return predicate.is_transitive and not predicate.is_functional


class Reading:
    """Applies an ontology to assertions, computing the consequences of each predicate once."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._known: dict[str, tuple[Predicate, tuple[tuple[Consequence, tuple[str, str]], ...]]] = {}

    def touched_groups(self, assertion: Assertion, *, denied: Collection[str]) -> list[Membership]:
        """Return the groups of an assertion; `denied` are the predicates of which anything is denied."""
        subject, target = assertion.subject, assertion.object
        found: list[Membership] = []
        if assertion.subject_kind in CLASSES:
            found.append(((DISJOINT_CLASSES, (), (subject,)), assertion.subject_kind))
        if assertion.object_kind in CLASSES:
            found.append(((DISJOINT_CLASSES, (), (target,)), assertion.object_kind))
        if assertion.is_denial:
            found.append((denial_group(assertion.predicate, subject, target), DENIED))
            return found
        if target is None:
            return found
        known = self._known.get(assertion.predicate)
        if known is None:
            known = self._known[assertion.predicate] = self._worked_out(assertion.predicate)
        predicate, consequences = known
        if predicate.datatype and not is_well_typed(predicate, assertion.label):
            found.append(((DATATYPE, (predicate.name, predicate.datatype), assertion.order), POSITIVE))
        for consequence, classes in consequences:
            if consequence.is_flipped:
                _relate(consequence.predicate, classes, target, subject, assertion.subject_label, found)
            else:
                _relate(consequence.predicate, classes, subject, target, assertion.label, found)
            if consequence.predicate.name in denied:
                ends = (target, subject) if consequence.is_flipped else (subject, target)
                found.append((denial_group(consequence.predicate.name, *ends), POSITIVE))
                found.append((denial_group(consequence.predicate.name, ends[0], None), POSITIVE))
        return found

    def _worked_out(self, name: str) -> tuple[Predicate, tuple[tuple[Consequence, tuple[str, str]], ...]]:
        predicate = self._ontology.predicate_named(name)
        return predicate, tuple((one, one.end_classes) for one in consequences_of(predicate, self._ontology))


def denial_group(name: str, subject: Identity, target: Identity) -> Group:
    """Return the group of assertions and denials between two ends; without `target`, of all of a subject."""
    return (NEGATIVE_ASSERTION, (name,), (subject, target))


def _relate(
    predicate: Predicate,
    classes: tuple[str, str],
    subject: Identity,
    target: Identity,
    label: str,
    found: list[Membership],
) -> None:
    """Add the groups of a predicate between two ends; `label` is the target's label."""
    terms = (predicate.name,)
    if predicate.is_functional:
        facets = facets_of(predicate, label)
        found += [((FUNCTIONAL, terms, (facet.name, subject)), facet.value) for facet in facets]
    if predicate.is_irreflexive and subject == target:
        found.append(((IRREFLEXIVE, terms, (subject,)), POSITIVE))
    if predicate.is_asymmetric and subject != target:
        found.append(((ASYMMETRIC, terms, tuple(sorted((subject, target), key=repr))), subject))
    if predicate.disjoint_with:
        pair = tuple(sorted((predicate.name, predicate.disjoint_with)))
        found.append(((DISJOINT_PROPERTIES, pair, (subject, target)), predicate.name))
    if classes[0]:
        found.append(((DISJOINT_CLASSES, (), (subject,)), classes[0]))
    if classes[1]:
        found.append(((DISJOINT_CLASSES, (), (target,)), classes[1]))
