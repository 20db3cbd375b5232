"""The form in which the check sees triples and facts: subject, predicate, object, denied or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.core.knowledge_graph.ontology import Ontology
from memory.core.naming import key_of
from memory.core.types import Entity, Fact, Modality, Node, Polarity, Tense, Triple

# An entity is known by its id, a value that is none by its folded words; None is the object of a denial of everything.
Identity = int | str | None


@dataclass(frozen=True, slots=True)
class Assertion:
    """A triple of the current graph, or a fact that would be added to it.

    `order` sorts and identifies assertions: triples by id, then facts in the order in which they were said.
    """

    order: tuple[int, int]
    subject: Identity
    subject_label: str
    predicate: str
    object: Identity
    label: str
    subject_kind: str
    object_kind: str
    is_denial: bool
    origin: Triple | Fact


def is_current(triple: Triple | Fact, now: datetime) -> bool:
    """Return whether a triple belongs to the current graph: asserted, in the present, holding now.

    Superseded, ended, planned, asked, supposed and reported triples do not: "I moved to Lyon" ends Paris and contradicts
    nothing.
    """
    if triple.modality is not Modality.ASSERTED or triple.tense is not Tense.PRESENT:
        return False
    if isinstance(triple, Triple) and triple.superseded_at is not None:
        return False
    has_begun = triple.valid_from is None or triple.valid_from <= now
    return has_begun and (triple.valid_to is None or triple.valid_to > now)


def current_triples(triples: Iterable[Triple], *, now: datetime) -> list[Triple]:
    """Return the triples of the current graph."""
    return [triple for triple in triples if is_current(triple, now)]


def assertions_of_triples(triples: Iterable[Triple], *, ontology: Ontology) -> list[Assertion]:
    """Return one assertion a triple."""
    return [_of_triple(triple, ontology) for triple in triples]


def assertions_of_facts(
    facts: Sequence[Fact], *, entity_of: Callable[[Node], Entity], ontology: Ontology
) -> list[Assertion]:
    """Return one assertion a fact; `entity_of` returns the entity of a node."""
    return [_of_fact(number, fact, entity_of, ontology) for number, fact in enumerate(facts)]


def is_entity(node: Node) -> bool:
    """Return whether a node is an entity: it has a name, and is neither a literal nor "anything"."""
    return not node.is_literal and not node.is_any and bool(key_of(node.label))


def _of_triple(triple: Triple, ontology: Ontology) -> Assertion:
    identity: Identity = triple.object_id
    if identity is None or ontology.predicate_named(triple.predicate).range == "Literal":
        identity = key_of(triple.object)
    return Assertion(
        order=(0, triple.id),
        subject=triple.subject.id,
        subject_label=triple.subject.label,
        predicate=triple.predicate,
        object=None if triple.is_any else identity,
        label=triple.object,
        subject_kind=triple.subject.kind,
        object_kind=triple.object_kind if isinstance(identity, int) else "",
        is_denial=triple.polarity is Polarity.NEGATIVE,
        origin=triple,
    )


def _of_fact(number: int, fact: Fact, entity_of: Callable[[Node], Entity], ontology: Ontology) -> Assertion:
    subject = entity_of(fact.subject)
    target = None
    if is_entity(fact.object) and ontology.predicate_named(fact.predicate).range != "Literal":
        target = entity_of(fact.object)
    identity: Identity = target.id if target is not None else key_of(fact.object.label)
    return Assertion(
        order=(1, number),
        subject=subject.id,
        subject_label=subject.label,
        predicate=fact.predicate,
        object=None if fact.object.is_any else identity,
        label=target.label if target is not None else fact.object.label,
        subject_kind=subject.kind,
        object_kind=target.kind if target is not None else "",
        is_denial=fact.polarity is Polarity.NEGATIVE,
        origin=fact,
    )
