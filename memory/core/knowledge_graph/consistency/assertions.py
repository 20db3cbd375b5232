"""The form in which the check sees triples and facts: subject, predicate, object, denied or not.

Splits the value of a predicate into facets, so that compatible values never clash.

Somebody lives in one town and in one country at a time; "1990" and "7 May 1990" are the same birthday, more or less exactly.
OWL and the in-process check therefore give a functional predicate one value a facet: a town and a region; a year, a month and
a day. Two values agree exactly where `are_compatible` says so, or where they are equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from functools import lru_cache

from memory.core.english.times import stated_date
from memory.core.knowledge_graph.ontology import Ontology, Predicate, is_region
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


_YEARS = re.compile(r"\s*(\d{1,3})\s*(?:years?(?:\s+old|\s+of\s+age)?|y/?o)?\s*\.?\s*", re.IGNORECASE)
# Beginnings of the words that say a number or an age without a digit: "thirty-four", "mid-forties", "a toddler".
_NUMERALS = re.compile(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelv|thirte|fourte|fifte|sixte|sevente|eighte|"
    r"ninete|twent|thirt|fort|fift|sixt|sevent|eight|ninet|hundred|dozen|half|couple|few|several|teen|tween|preteen|year|"
    r"month|week|day|decade|baby|infant|newborn|toddler|kid|child|adult|minor|young|old|middle|senior|elder|retire)",
    re.IGNORECASE,
)
_DAYS = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:christmas|easter|halloween|new year|thanksgiving|valentine|"
    r"ramadan|eid|diwali|hanukkah|passover|solstice|equinox|\w+ (?:day|eve)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Facet:
    """One part of a value. Facets of one name with different values exclude each other."""

    name: str
    value: str


def is_data(predicate: Predicate) -> bool:
    """Return whether the values of a predicate are literals rather than entities."""
    return predicate.range == "Literal"


def facet_names(predicate: Predicate) -> tuple[str, ...]:
    """Return the names of the facets that values of the predicate may have; one empty name where they have no parts."""
    if predicate.datatype == "date":
        return ("Year", "Month", "Day")
    if predicate.datatype == "number":
        return ("Years", "InWords")
    if predicate.range == "Place":
        return ("Town", "Region")
    return ("",)


@lru_cache(maxsize=65536)
def facets_of(predicate: Predicate, label: str) -> tuple[Facet, ...]:
    """Return the facets of a value; none for a value that its datatype does not allow."""
    if predicate.datatype == "date":
        parts = zip(("Year", "Month", "Day"), astuple(stated_date(label)), strict=True)
        return tuple(Facet(name, str(number)) for name, number in parts if number is not None)
    if predicate.datatype == "number":
        years = _YEARS.fullmatch(label)
        if years is not None:
            return (Facet("Years", str(int(years[1]))),)
        return (Facet("InWords", key_of(label)),) if is_well_typed(predicate, label) else ()
    if predicate.range == "Place":
        return (Facet("Region" if is_region(label) else "Town", key_of(label)),)
    return (Facet("", key_of(label)),)


def is_well_typed(predicate: Predicate, label: str) -> bool:
    """Return whether a value can be of the predicate's datatype: an age of "purple" cannot.

    The check is weak, because values are people's words: whatever has a digit, or a word for a number or a day, passes.
    """
    if predicate.datatype == "number":
        return _NUMERALS.search(label) is not None
    if predicate.datatype == "date":
        return any(astuple(stated_date(label))) or _DAYS.search(label) is not None
    return True
